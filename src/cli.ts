#!/usr/bin/env node
import { Command, CommanderError, Option } from 'commander'
import { createConsole } from './cli/console.js'
import { init } from './cli/init.js'
import { load } from './cli/load.js'
import {
  durationArgument,
  hostArgument,
  listArgument,
  portArgument,
  type ServeOptions,
  seedArgument,
} from './cli/options.js'
import { printRoutes } from './cli/routes.js'
import { serve } from './cli/serve.js'
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

const program = new Command('mockmaker')
  .description('A mock matchmaker and game-namespace cloud, on this machine.')
  .version(version, '-v, --version', 'print the version')
  .helpOption('-h, --help', 'print this')
  .exitOverride()
  .showHelpAfterError()
  .argument('[scenario]', 'a scenario file, or the name of a shipped scenario')
  .addOption(
    new Option('--port <port>', 'where to listen; 0 picks a free port')
      .env('PORT')
      .default(defaultPort)
      .argParser(portArgument),
  )
  .option('--host <host>', 'the address to listen on (default: 127.0.0.1 and ::1)', hostArgument)
  .option('--allowed-hosts <names>', 'names for the Host header beyond localhost, with commas between', listArgument)
  .option(
    '--cors-origin <origins>',
    "origins whose pages may read answers, beyond localhost and the scenario's, with commas between",
    listArgument,
  )
  .option('--seed <seed>', "what ids, tokens and fake data come from (default: the scenario's)", seedArgument)
  .option('--watch-timeout <duration>', 'how long a watch blocks: 250ms, 40s, 1m (default: 40s)', durationArgument)
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
  mockmaker scenario.yaml          serve it`,
  )
  .action(async (scenario: string | undefined, options: ServeOptions) => {
    const loaded = scenario === undefined ? undefined : await load(scenario)
    endOnSignals(await serve({ scenario: loaded, options, console }))
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
  .action(() => console.print(JSON.stringify(openapi({ version }), null, 2)))

try {
  await program.parseAsync()
} catch (error) {
  // Commander has printed what is wrong, and the usage.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : wrongUsage
  else if (error instanceof UsageError) {
    console.warn(error.message)
    process.exitCode = failed
  } else throw error
}

/** The first signal answers every waiter and ends; a second SIGINT ends at once. A bug does not end the process. */
function endOnSignals({ close }: { close(): Promise<void> }): void {
  const end = () => {
    process.on('SIGINT', () => process.exit(interrupted))
    // A second one does not cut short what the first has begun.
    process.on('SIGTERM', () => {})
    void close().finally(() => process.exit())
  }
  process.once('SIGINT', end)
  process.once('SIGTERM', end)
  process.on('uncaughtException', error => console.warn(`mockmaker: unforeseen\n${error.stack ?? error}`))
}
