#!/usr/bin/env node
import { existsSync } from 'node:fs'
import { Command, CommanderError, Option } from 'commander'
import { createConsole } from './cli/console.js'
import { type EnvOptions, printEnvironment } from './cli/env.js'
import { type ExecOptions, exec } from './cli/exec.js'
import { type ExportOptions, printSnapshot } from './cli/export.js'
import { init } from './cli/init.js'
import { listenToKeys } from './cli/keys.js'
import { type Loaded, load } from './cli/load.js'
import { withMockFlags } from './cli/mock-flags.js'
import { listArgument, portArgument, type ServeOptions, urlArgument } from './cli/options.js'
import { printRoutes } from './cli/routes.js'
import { serve } from './cli/serve.js'
import { servingKeys } from './cli/serving-keys.js'
import { tokenKinds } from './cli/token-kind.js'
import { validate } from './cli/validate.js'
import { openapi } from './contract/openapi.js'
import { defaultPort } from './express/bind.js'
import { nearest } from './lib/did-you-mean.js'
import { UsageError } from './lib/usage-error.js'
import { scenarios } from './scenario/shipped.js'
import { version } from './version.js'

/** Exit codes. */
const failed = 1
const wrongUsage = 2
const interrupted = 130

const console = createConsole(process)

/** What follows `--` is the command that `exec` runs, whatever it looks like. */
const dashes = process.argv[2] === 'exec' ? process.argv.indexOf('--') : -1
const argv = dashes === -1 ? process.argv : process.argv.slice(0, dashes)
const commandToRun = dashes === -1 ? [] : process.argv.slice(dashes + 1)

const program = new Command('mockmaker')
  .description('A mock matchmaker and game-namespace cloud, on this machine.')
  .version(version, '-v, --version', 'print the version')
  .helpOption('-h, --help', 'print this help')
  .helpCommand(false)
  .exitOverride()
  .configureOutput({
    writeOut: text => console.printDocument(text.trimEnd()),
    writeErr: text => console.warn(text.trimEnd()),
    outputError: text => console.fail(text.trimEnd()),
  })
  // Otherwise commander takes the flags of `exec` for those of `serve`, which have the same names.
  .enablePositionalOptions()
withServing(program).addHelpText(
  'after',
  `
Shipped scenarios: ${Object.keys(scenarios).join(', ')}

Examples:
  mockmaker                        serve the default scenario
  mockmaker friday-night --port 0  serve a busy scenario on a free port
  mockmaker init                   write scenario.yaml, to start from
  mockmaker scenario.yaml          serve it
  mockmaker exec -- npm test       run a command against a mock of its own`,
)

withServing(command('serve', 'serve a scenario; the same as mockmaker [scenario]'))

command('validate', 'check scenario files')
  .argument('<file...>', 'scenario files, or names of shipped scenarios')
  .action(async (files: string[]) => {
    if (!(await validate(files, console))) process.exitCode = failed
  })

command('init', 'write a scenario with comments, to start from')
  .argument('[folder]', 'where to write it', '.')
  .action((folder: string) => init(folder, { root: new URL('..', import.meta.url), console }))

command('routes', 'print the calls that the mock answers').action(() => printRoutes(console))

command('openapi', 'print the OpenAPI document').action(() =>
  console.printDocument(JSON.stringify(openapi({ version }), null, 2)),
)

withMockFlags(
  command(
    'exec',
    'run a command against a mock of its own; MOCKMAKER_URL, RIVET_API_ENDPOINT and RIVET_TOKEN lead to it',
  ),
)
  .usage('[options] [scenario] -- <command> [argument...]')
  .argument('[scenario]', 'a scenario file, or the name of a shipped scenario')
  // The errors below say more.
  .allowExcessArguments()
  .addOption(tokenOption())
  .action(async (scenario: string | undefined, options: ExecOptions, command: Command) => {
    const [, excess] = command.args
    if (dashes === -1)
      command.error(`error: put -- before the command: mockmaker exec -- ${command.args.join(' ') || 'npm test'}`)
    if (excess !== undefined) command.error(`error: only a scenario may stand before --, so ${excess} is one too many`)
    if (commandToRun.length === 0) command.error('error: the command is missing: mockmaker exec -- npm test')
    const loaded = await loadIfNamed(scenario)
    reportBugs()
    process.exitCode = await exec({ command: commandToRun, loaded, options, console })
  })

command('env', 'print the variables of a running mock, or of the server of a lobby: eval "$(mockmaker env)"')
  .argument('[lobby_id]', 'print the variables for the game server of this lobby')
  .addOption(urlOption())
  .addOption(tokenOption())
  .action((lobbyId: string | undefined, options: EnvOptions, command: Command) => {
    if (lobbyId !== undefined && command.getOptionValueSource('token') === 'cli')
      command.error(`error: the server of a lobby has the token of that lobby: leave out --token ${options.token}`)
    return printEnvironment(lobbyId, options, console)
  })

command('export', 'print a running world as a scenario')
  .addOption(urlOption())
  .option('--with <parts>', 'what to print beside the records: journal, faults, or journal,faults', listArgument)
  .action((options: ExportOptions) => printSnapshot(options, console))

command('help', 'print the help of a command')
  .argument('[command]')
  .action((name: string | undefined) => {
    if (name === undefined) return program.help()
    const named = program.commands.find(command => command.name() === name)
    return named ? named.help() : program.error(`error: unknown command '${name}'${didYouMean(name)}`)
  })

try {
  await program.parseAsync(argv)
} catch (error) {
  // Commander has printed what is wrong.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : wrongUsage
  else if (error instanceof UsageError) {
    console.fail(error.message)
    process.exitCode = failed
  } else throw error
}

/** Adds a command. An error in its use is followed by a line that says where its options are listed. */
function command(name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .helpOption('-h, --help', 'print this help')
    .showHelpAfterError(`mockmaker ${name} --help lists the options`)
}

/** Gives a command the flags of a mock that serves, and lets it serve. */
function withServing(command: Command): Command {
  command
    .showHelpAfterError('mockmaker --help lists the options')
    .argument('[scenario]', 'a scenario file, or the name of a shipped scenario')
    // The error below says more.
    .allowExcessArguments()
    .addOption(
      new Option('--port <port>', 'where to listen; 0 picks a free port')
        .env('PORT')
        .default(defaultPort)
        .argParser(portArgument),
    )
  return withMockFlags(command)
    .option('--no-reload', 'do not reload the scenario file when it is saved')
    .option('--json', 'print one JSON object a line')
    .option('--quiet', 'print errors only, after the first lines')
    .action(async (scenario: string | undefined, options: ServeOptions) => {
      const [first = '', ...others] = command.args
      if (others.length > 0) {
        const near = didYouMean(first)
        command.error(
          near ? `error: unknown command '${first}'${near}` : 'error: too many arguments: name one scenario',
        )
      }
      await serveUntilSignal(await loadIfNamed(scenario), { ...options, ...givenBefore(command) })
    })
}

/** The flags that stand before the name of a command, as in `mockmaker --port 0 serve`, and not after it too. */
function givenBefore(command: Command): Partial<ServeOptions> {
  if (command === program) return {}
  const isGivenBefore = (name: string) =>
    program.getOptionValueSource(name) === 'cli' && command.getOptionValueSource(name) !== 'cli'
  return Object.fromEntries(Object.entries(program.opts()).filter(([name]) => isGivenBefore(name)))
}

async function serveUntilSignal(loaded: Loaded | undefined, options: ServeOptions): Promise<void> {
  const hasKeys = process.stdin.isTTY && process.stdout.isTTY && !options.json
  const hint = hasKeys ? 'press h + Enter for help' : undefined
  const { mock, url, close } = await serve({ loaded, options, console, hint })
  const quit = endOnSignals(close)
  if (hasKeys) listenToKeys({ input: process.stdin, keys: servingKeys({ mock, url, console, quit }), console })
}

/** Loads a scenario by its name or path. Rejects with `UsageError`, which names the command that may have been meant. */
async function loadIfNamed(scenario: string | undefined): Promise<Loaded | undefined> {
  if (scenario === undefined) return undefined
  try {
    return await load(scenario)
  } catch (error) {
    if (!(error instanceof UsageError) || existsSync(scenario)) throw error
    throw new UsageError(`${error.message}${didYouMean(scenario)}\nmockmaker --help lists the options`)
  }
}

/** A line with the command that a word most likely meant; nothing where none is near. */
function didYouMean(word: string): string {
  const names = program.commands.map(command => command.name())
  const letters = (text: string) => [...text].sort().join()
  // Two letters that changed places are one slip, but two differences.
  const near = names.find(name => letters(name) === letters(word)) ?? nearest(word, names)
  return near === undefined ? '' : `\n(Did you mean the command ${near}?)`
}

function urlOption(): Option {
  return new Option('--url <url>', 'the URL of the mock, or of a world of it: http://127.0.0.1:4100/w/test-42')
    .default(`http://127.0.0.1:${defaultPort}`)
    .argParser(urlArgument)
}

function tokenOption(): Option {
  return new Option('--token <kind>', 'the kind of RIVET_TOKEN').choices(tokenKinds).default('public')
}

/**
 * On the first signal, answers every request that waits, and ends the process. A second SIGINT ends it at once. Returns
 * a function that does what a signal does.
 */
function endOnSignals(close: () => Promise<void>): () => void {
  const end = () => {
    process.on('SIGINT', () => process.exit(interrupted))
    // A second SIGTERM does not cut short what the first has begun.
    process.on('SIGTERM', () => {})
    // Even where its output could not be written: it has served until it was told to end.
    void close().finally(() => process.exit(0))
  }
  process.once('SIGINT', end)
  process.once('SIGTERM', end)
  reportBugs()
  return end
}

/** Reports a bug instead of ending the process. */
function reportBugs(): void {
  process.on('uncaughtException', error => console.warn(`mockmaker: unexpected error\n${error.stack ?? error}`))
}
