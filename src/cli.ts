#!/usr/bin/env node
import { existsSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { type ExecFlags, exec } from './cli/exec.js'
import {
  addMockOptions,
  addServeOptions,
  addShowOptions,
  parseList,
  type ServeFlags,
  type ShowFlags,
  tokenOption,
  urlOption,
  wholeNumber,
} from './cli/options.js'
import { createConsole } from './cli/output.js'
import { type EnvFlags, type ExportFlags, exportScenario, printEnvironment } from './cli/running-mock.js'
import { initScenario, validateScenarios } from './cli/scenario-files.js'
import { serve } from './cli/serve.js'
import { show } from './cli/show.js'
import { openapi } from './contract/openapi.js'
import { operationIds, operations } from './contract/operations.js'
import { nearest } from './lib/text.js'
import { UsageError } from './lib/usage-error.js'
import { scenarios } from './scenario/shipped.js'
import { type LoadedScenario, loadScenario } from './files/scenario-file.js'
import { version } from './version.js'

/** Exit codes. */
const failed = 1
const wrongUsage = 2

const console = createConsole(process)

/** `exec` runs the words after `--`. commander must not parse those. */
const dashes = process.argv[2] === 'exec' ? process.argv.indexOf('--') : -1
const argv = dashes === -1 ? process.argv : process.argv.slice(0, dashes)
const commandToRun = dashes === -1 ? [] : process.argv.slice(dashes + 1)

const program = new Command('mockmaker')
  .description('Runs a mock matchmaker and game-namespace service on this machine.')
  .version(version, '-v, --version', 'print the version')
  .helpOption('-h, --help', 'print this help')
  .helpCommand(false)
  .exitOverride()
  .configureOutput({
    writeOut: text => console.printDocument(text.trimEnd()),
    writeErr: text => console.warn(text.trimEnd()),
    outputError: text => console.fail(text.trimEnd()),
  })
  // Otherwise commander takes the options of `exec` for those of `serve` with the same names.
  .enablePositionalOptions()

makeServing(program).addHelpText(
  'after',
  `
Shipped scenarios: ${Object.keys(scenarios).join(', ')}

Examples:
  mockmaker                        serve the default scenario
  mockmaker friday-night --port 0  serve a busy scenario on a free port
  mockmaker init                   write scenario.yaml, to start from
  mockmaker scenario.yaml          serve it
  mockmaker show world.yaml        look at an exported world
  mockmaker exec -- npm test       run a command against its own mock
  eval "$(mockmaker env)"          set the variables for the mock on port 4100`,
)

makeServing(addCommand('serve', 'serve a scenario; the same as mockmaker [scenario]'))

addShowOptions(addCommand('show', 'open an exported world in the page, read-only'))
  .argument('<file>', 'an export, the world of a failed test, or any other scenario')
  .action((file: string, flags: ShowFlags) => show(file, { flags, console }))

addCommand('validate', 'check scenario files')
  .argument('<file...>', 'scenario files, or names of shipped scenarios')
  .action(async (files: string[]) => {
    if (!(await validateScenarios(files, console))) process.exitCode = failed
  })

addCommand('init', 'write a commented scenario file to start from')
  .argument('[folder]', 'the folder to write into', '.')
  .action((folder: string) => initScenario(folder, new URL('..', import.meta.url), console))

addCommand('routes', 'print the operations that the mock answers').action(() => {
  const width = Math.max(...operationIds.map(id => operations[id].path.length))
  for (const id of operationIds) {
    const { method, path, auth } = operations[id]
    console.print([console.style('bold', method.padEnd(6)), path.padEnd(width), auth.padEnd(9), id].join('  '))
  }
})

addCommand('openapi', 'print the OpenAPI document').action(() =>
  console.printDocument(JSON.stringify(openapi({ version }), null, 2)),
)

addMockOptions(
  addCommand(
    'exec',
    'run a command against its own mock, with the variables MOCKMAKER_URL, RIVET_API_ENDPOINT and RIVET_TOKEN',
  ),
)
  .usage('[options] [scenario] -- <command> [argument...]')
  .argument('[scenario]', 'a scenario file, or the name of a shipped scenario')
  // The errors below say more than commander's.
  .allowExcessArguments()
  .addOption(tokenOption())
  .action(async (scenario: string | undefined, flags: ExecFlags, command: Command) => {
    const [, excess] = command.args
    if (dashes === -1)
      command.error(`error: put -- before the command: mockmaker exec -- ${command.args.join(' ') || 'npm test'}`)
    if (excess !== undefined) command.error(`error: put only a scenario before --: remove ${excess}`)
    if (!commandToRun[0]) command.error('error: the command after -- is missing: mockmaker exec -- npm test')
    process.exitCode = await exec(commandToRun, { loaded: await loadIfNamed(scenario), flags, console })
  })

addCommand('env', 'print the environment variables for a client of a running mock, or for the game server of a lobby')
  .argument('[lobby_id]', 'print the variables for the game server of this lobby')
  .addOption(urlOption())
  .addOption(tokenOption())
  .action((lobbyId: string | undefined, flags: EnvFlags, command: Command) => {
    if (lobbyId !== undefined && command.getOptionValueSource('token') === 'cli')
      command.error(`error: the server of a lobby uses the token of that lobby: remove --token ${flags.token}`)
    return printEnvironment(lobbyId, flags, console)
  })

addCommand('export', 'print a running world as a scenario')
  .addOption(urlOption())
  .option('--with <parts>', 'also print these parts: journal, faults, or journal,faults', parseList)
  .option('--revision <n>', 'print the world as it was at this revision', wholeNumber(0))
  .action((flags: ExportFlags) => exportScenario(flags, console))

addCommand('help', 'print the help of a command')
  .argument('[command]')
  .action((name: string | undefined) => {
    if (name === undefined) return program.help()
    const named = program.commands.find(command => command.name() === name)
    return named ? named.help() : program.error(`error: unknown command '${name}'${suggestCommand(name)}`)
  })

try {
  await program.parseAsync(argv)
} catch (error) {
  // commander has printed its own errors.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : wrongUsage
  else if (error instanceof UsageError) {
    console.fail(error.message)
    process.exitCode = failed
  } else throw error
}

/** Adds a command. After a usage error, a line says how to list its options. */
function addCommand(name: string, description: string): Command {
  return (
    program
      .command(name)
      .description(description)
      .helpOption('-h, --help', 'print this help')
      // Otherwise the command inherits the setting of `mockmaker [scenario]`.
      .allowExcessArguments(false)
      .showHelpAfterError(`mockmaker ${name} --help lists the options`)
  )
}

/** Makes a command serve a scenario, and adds its options. */
function makeServing(command: Command): Command {
  command
    .showHelpAfterError('mockmaker --help lists the options')
    .argument('[scenario]', 'a scenario file, or the name of a shipped scenario')
    // The error below says more than commander's.
    .allowExcessArguments()
  return addServeOptions(command).action(async (scenario: string | undefined, options: ServeFlags) => {
    const [first = '', ...others] = command.args
    if (others.length > 0) {
      const hint = suggestCommand(first)
      command.error(hint ? `error: unknown command '${first}'${hint}` : 'error: too many arguments: name one scenario')
    }
    const flags = { ...options, ...flagsBefore(command) }
    await serve({ loaded: await loadIfNamed(scenario), flags, console })
  })
}

/** Returns the flags before the name of a command, as in `mockmaker --port 0 serve`. The same flags after it win. */
function flagsBefore(command: Command): Partial<ServeFlags> {
  if (command === program) return {}
  const isBefore = (name: string) =>
    program.getOptionValueSource(name) === 'cli' && command.getOptionValueSource(name) !== 'cli'
  return Object.fromEntries(Object.entries(program.opts()).filter(([name]) => isBefore(name)))
}

/** Loads a scenario by name or path. Rejects with `UsageError`, which also suggests a command for a mistyped one. */
async function loadIfNamed(scenario: string | undefined): Promise<LoadedScenario | undefined> {
  if (scenario === undefined) return undefined
  try {
    return await loadScenario(scenario)
  } catch (error) {
    if (!(error instanceof UsageError) || existsSync(scenario)) throw error
    throw new UsageError(`${error.message}${suggestCommand(scenario)}\nmockmaker --help lists the options`)
  }
}

/** Returns a line that suggests the nearest command, or an empty text. */
function suggestCommand(word: string): string {
  const names = program.commands.map(command => command.name())
  const letters = (text: string) => [...text].sort().join()
  // `nearest` counts two swapped letters as two differences.
  const near = names.find(name => letters(name) === letters(word)) ?? nearest(word, names)
  return near === undefined ? '' : `\n(Did you mean the command ${near}?)`
}
