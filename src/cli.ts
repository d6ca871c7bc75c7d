#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { Command, CommanderError, Option } from 'commander'
import { type Console, createConsole } from './cli/console.js'
import { init } from './cli/init.js'
import { durationArgument, listArgument, portArgument, type ServeOptions, seedArgument } from './cli/options.js'
import { printRoutes } from './cli/routes.js'
import { serve } from './cli/serve.js'
import { UsageError } from './contract/usage-error.js'

/** Exit codes. */
const failed = 1
const wrongUsage = 2
const interrupted = 130

const root = new URL('..', import.meta.url)
const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { readonly version: string }
const console = createConsole(process)

const program = new Command('mockmaker')
  .description('A mock matchmaker and game-namespace cloud, on this machine.')
  .version(version)
  .exitOverride()
  .showHelpAfterError()
  .argument('[scenario]', 'a scenario file, or the name of a shipped scenario')
  .addOption(
    new Option('--port <port>', 'where to listen; 0 picks a free port')
      .env('PORT')
      .default(4100)
      .argParser(portArgument),
  )
  .option('--host <host>', 'the address to listen on (default: 127.0.0.1 and ::1)')
  .option('--allowed-hosts <names>', 'further names for the Host header, with commas between', listArgument, [])
  .option(
    '--cors-origin <origins>',
    'further origins whose pages may read answers, with commas between',
    listArgument,
    [],
  )
  .option('--seed <seed>', "instead of the scenario's", seedArgument)
  .option('--watch-timeout <duration>', 'how long a watch blocks (default: 40s)', durationArgument)
  .option('--json', 'one JSON object a line')
  .option('--quiet', 'after the first lines, errors only')
  .action(async (scenario: string | undefined, options: ServeOptions) => {
    const loaded = scenario === undefined ? undefined : (await import('./node/load-scenario.js')).loadScenario(scenario)
    endOnSignals(await serve({ scenario: loaded, options, version, console }))
  })

program
  .command('validate')
  .description('check scenario files')
  .argument('<file...>')
  .action(async (files: string[]) => {
    const { loadScenario } = await import('./node/load-scenario.js')
    for (const file of files) reportScenario(file, () => loadScenario(file), console)
  })

program
  .command('init')
  .description('write a commented scenario to begin with')
  .argument('[folder]', 'where to', '.')
  .action((folder: string) => init(folder, { root, console }))

program
  .command('routes')
  .description('print the operations')
  .action(() => printRoutes(console))

program
  .command('openapi')
  .description('print the OpenAPI document')
  .action(async () => {
    const { openapi } = await import('./contract/openapi.js')
    console.print(JSON.stringify(openapi({ version }), null, 2))
  })

try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : wrongUsage
  else if (error instanceof UsageError) fail(error.message, console)
  else throw error
}

/** Prints whether a scenario is right; one that is not makes the command fail, after the others were looked at. */
function reportScenario(file: string, load: () => unknown, { print }: Console): void {
  try {
    load()
    print(`${file}: ok`)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    fail(error.message, console)
  }
}

function fail(message: string, { warn }: Console): void {
  warn(message)
  process.exitCode = failed
}

/** The first signal answers every waiter and ends; a second SIGINT ends at once. A bug does not end the process. */
function endOnSignals({ close }: { close(): Promise<void> }): void {
  const end = () => {
    process.on('SIGINT', () => process.exit(interrupted))
    void close().then(() => process.exit(0))
  }
  process.once('SIGINT', end)
  process.once('SIGTERM', end)
  process.on('uncaughtException', error => console.warn(`mockmaker: unforeseen\n${error.stack ?? error}`))
}
