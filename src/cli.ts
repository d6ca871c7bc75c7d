#!/usr/bin/env node
import { Command, CommanderError, Option } from 'commander'
import { createConsole } from './cli/console.js'
import { type EnvOptions, printEnvironment } from './cli/env.js'
import { type ExecOptions, exec } from './cli/exec.js'
import { type ExportOptions, printSnapshot } from './cli/export.js'
import { init } from './cli/init.js'
import { listenToKeys } from './cli/keys.js'
import { load } from './cli/load.js'
import { withMockFlags } from './cli/mock-flags.js'
import { listArgument, portArgument, type ServeOptions, urlArgument } from './cli/options.js'
import { printRoutes } from './cli/routes.js'
import { serve } from './cli/serve.js'
import { servingKeys } from './cli/serving-keys.js'
import { tokenKinds } from './cli/token-kind.js'
import { validate } from './cli/validate.js'
import { openapi } from './contract/openapi.js'
import { UsageError } from './contract/usage-error.js'
import { defaultPort } from './express/bind.js'
import { scenarios } from './scenario/shipped.js'
import { version } from './version.js'

/** Exit codes. */
const failed = 1
const wrongUsage = 2
const interrupted = 130

const console = createConsole(process)

/** What stands behind `--` is the command that `exec` runs, whatever it looks like. */
const dashes = process.argv[2] === 'exec' ? process.argv.indexOf('--') : -1
const argv = dashes === -1 ? process.argv : process.argv.slice(0, dashes)
const commandToRun = dashes === -1 ? [] : process.argv.slice(dashes + 1)

const program = new Command('mockmaker')
  .description('A mock matchmaker and game-namespace cloud, on this machine.')
  .version(version, '-v, --version', 'print the version')
  .helpOption('-h, --help', 'print this')
  .exitOverride()
  .showHelpAfterError()
  // Or the flags of `exec` would be taken for those of serving, which have the same names.
  .enablePositionalOptions()
  .argument('[scenario]', 'a scenario file, or the name of a shipped scenario')
  .addOption(
    new Option('--port <port>', 'where to listen; 0 picks a free port')
      .env('PORT')
      .default(defaultPort)
      .argParser(portArgument),
  )
withMockFlags(program)
  .option('--no-reload', 'leave the scenario as it is when its file is saved')
  .option('--json', 'print one JSON object a line')
  .option('--quiet', 'after the first lines, print errors only')
  .addHelpText(
    'after',
    `
Shipped scenarios: ${Object.keys(scenarios).join(', ')}

Examples:
  mockmaker                        serve the default scenario
  mockmaker friday-night --port 0  serve a busy one, on a free port
  mockmaker init                   write scenario.yaml, to begin with
  mockmaker scenario.yaml          serve it
  mockmaker exec -- npm test       run a command against a mock of its own`,
  )
  .action(async (scenario: string | undefined, options: ServeOptions) => {
    const loaded = scenario === undefined ? undefined : await load(scenario)
    const hasKeys = process.stdin.isTTY && process.stdout.isTTY && !options.json
    const hint = hasKeys ? 'press h + Enter for help' : undefined
    const { mock, url, close } = await serve({ loaded, options, console, hint })
    const quit = endOnSignals(close)
    if (hasKeys) listenToKeys({ input: process.stdin, keys: servingKeys({ mock, url, console, quit }), console })
  })

program
  .command('validate')
  .description('check scenario files')
  .argument('<file...>')
  .action(async (files: string[]) => {
    if (!(await validate(files, console))) process.exitCode = failed
  })

program
  .command('init')
  .description('write a commented scenario to begin with')
  .argument('[folder]', 'where to', '.')
  .action((folder: string) => init(folder, { root: new URL('..', import.meta.url), console }))

program
  .command('routes')
  .description('print the operations')
  .action(() => printRoutes(console))

program
  .command('openapi')
  .description('print the OpenAPI document')
  .action(() => console.printDocument(JSON.stringify(openapi({ version }), null, 2)))

withMockFlags(program.command('exec'))
  .usage('[options] [scenario] -- <command> [argument...]')
  .description(
    'run a command against a mock of its own, on a free port: MOCKMAKER_URL, RIVET_API_ENDPOINT and RIVET_TOKEN tell it',
  )
  .argument('[scenario]', 'a scenario file, or the name of a shipped scenario')
  // To say where they belong.
  .allowExcessArguments()
  .addOption(tokenOption())
  .action(async (scenario: string | undefined, options: ExecOptions, command: Command) => {
    const [, excess] = command.args
    if (dashes === -1)
      command.error(`error: the command stands behind --: mockmaker exec -- ${command.args.join(' ') || 'npm test'}`)
    if (excess !== undefined) command.error(`error: before -- stands one scenario, and no ${excess}`)
    if (commandToRun.length === 0) command.error('error: a command is missing: mockmaker exec -- npm test')
    const loaded = scenario === undefined ? undefined : await load(scenario)
    tellBugs()
    process.exitCode = await exec({ command: commandToRun, loaded, options, console })
  })

program
  .command('env')
  .description(
    'print the variables by which clients find a running mock, for a shell: eval "$(mockmaker env)"; or those that the server of a lobby finds',
  )
  .argument('[lobby_id]', 'a lobby of the mock')
  .addOption(urlOption())
  .addOption(tokenOption())
  .action((lobbyId: string | undefined, options: EnvOptions, command: Command) => {
    if (lobbyId !== undefined && command.getOptionValueSource('token') === 'cli')
      command.error(
        `error: --token ${options.token} beside lobby ${JSON.stringify(lobbyId)}, whose server has the token of that lobby: leave one of the two out`,
      )
    return printEnvironment(lobbyId, options, console)
  })

program
  .command('export')
  .description('print a running world as a scenario')
  .addOption(urlOption())
  .option('--with <parts>', 'what else shall be in it: journal, faults', listArgument)
  .action((options: ExportOptions) => printSnapshot(options, console))

try {
  await program.parseAsync(argv)
} catch (error) {
  // Commander has printed what is wrong, and the usage.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : wrongUsage
  else if (error instanceof UsageError) {
    console.warn(error.message)
    process.exitCode = failed
  } else throw error
}

function urlOption(): Option {
  return new Option('--url <url>', 'where it is; a world of it: http://127.0.0.1:4100/w/test-42')
    .default(`http://127.0.0.1:${defaultPort}`)
    .argParser(urlArgument)
}

function tokenOption(): Option {
  return new Option('--token <kind>', 'the kind of RIVET_TOKEN').choices(tokenKinds).default('public')
}

/** The first signal answers every waiter and ends, as does the function that comes back; a second SIGINT ends at once. */
function endOnSignals(close: () => Promise<void>): () => void {
  const end = () => {
    process.on('SIGINT', () => process.exit(interrupted))
    // A second one does not cut short what the first has begun.
    process.on('SIGTERM', () => {})
    // Whatever became of its output: it has served, and ended as it was told to.
    void close().finally(() => process.exit(0))
  }
  process.once('SIGINT', end)
  process.once('SIGTERM', end)
  tellBugs()
  return end
}

/** A bug does not end the process. */
function tellBugs(): void {
  process.on('uncaughtException', error => console.warn(`mockmaker: unforeseen\n${error.stack ?? error}`))
}
