import { existsSync } from 'node:fs'
import { Command, CommanderError, Help } from 'commander'
import { openapi } from '../core/contract/openapi.js'
import { operationIds, operations } from '../core/contract/operations.js'
import { counted, nearest, scenarioFile, UsageError } from '../core/lib/messages.js'
import { createMock } from '../core/mock/mock.js'
import { type Past, pastOf } from '../core/scenario/past.js'
import { readScenario } from '../core/scenario/read.js'
import { scenarios } from '../core/scenario/shipped.js'
import { isRedisUrl } from '../server/cluster/keep-in-redis.js'
import { isScenarioPath, type LoadedScenario, loadScenario } from '../server/files/scenario-file.js'
import { controlOpenapi } from '../server/http/control-openapi.js'
import { playerCalls } from '../server/processes/judge-server.js'
import { version } from '../version.js'
import { checkServerCommand } from './check-server.js'
import { diffHar } from './diff.js'
import { exec } from './exec.js'
import { exportCapsule, exportFromFolder, exportHar, exportScenario } from './export.js'
import { addFlags, defaultExpected, type FlagsOf, showAllFlags, wholeNumber } from './flags.js'
import { importFile } from './import.js'
import { init } from './init.js'
import { runLabCommand } from './lab.js'
import { serveMcp } from './mcp.js'
import { type Console, createConsole, documentPrinter } from './output.js'
import { runPlayers } from './players.js'
import { checkHealth, printEnvironment } from './running-mock.js'
import { serve } from './serve.js'
import { show } from './show.js'
import { printStory } from './story.js'

const runningCommands = ['exec', 'check-server', 'lab', 'players']

const failed = 1
const wrongUsage = 2

/** Runs the command of a process, and sets the exit code. `packageRoot` contains the folder `fixtures`. */
export async function runProgram(process: NodeJS.Process, packageRoot: URL): Promise<void> {
  const console = createConsole(process)
  // Some commands run the words after `--`. commander must not parse those.
  const isRunning = runningCommands.includes(process.argv[2] ?? '')
  // PowerShell drops a bare `--`, and cmd.exe keeps the quotes of `'--'`.
  const dashes = isRunning ? process.argv.findIndex(word => word === '--' || word === "'--'") : -1
  const argv = dashes === -1 ? process.argv : process.argv.slice(0, dashes)
  const commandToRun = dashes === -1 ? undefined : process.argv.slice(dashes + 1)
  const setExitCode = (code: number) => {
    process.exitCode = code
  }
  try {
    await createProgram({ streams: process, console, packageRoot, commandToRun, setExitCode }).parseAsync(argv)
  } catch (error) {
    // commander has printed its own errors.
    if (error instanceof CommanderError) setExitCode(error.exitCode === 0 ? 0 : wrongUsage)
    else if (error instanceof UsageError) {
      console.fail(error.message)
      setExitCode(failed)
    } else {
      // A mock that runs prints the error, and would end with 0.
      setExitCode(failed)
      throw error
    }
  }
}

interface ProgramOptions {
  readonly streams: Pick<NodeJS.Process, 'stdin' | 'stdout'>
  readonly console: Console
  readonly packageRoot: URL
  /** The words after `--`. Default: there is no `--`. */
  readonly commandToRun: readonly string[] | undefined
  setExitCode(code: number): void
}

function createProgram(options: ProgramOptions): Command {
  const { console } = options
  const program = new Command('mockmaker')
    .description('Runs a mock matchmaker and game-namespace service on this machine.')
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: text => console.printDocument(text.trimEnd()),
      writeErr: text => console.warn(text.trimEnd()),
      outputError: text => console.fail(withNearOption(text.trimEnd())),
    })
    // Otherwise commander takes the options of `exec` for those of `serve` with the same names.
    .enablePositionalOptions()
    .configureHelp({ subcommandTerm: command => command.name(), formatHelp: commandsFirst })

  makeServing(addFlags(program, 'serve'), console).addHelpText(
    'after',
    `
Shipped scenarios: ${Object.keys(scenarios).join(', ')}

Examples:
  mockmaker                        serve the default scenario
  mockmaker friday-night --port 0  serve a busy scenario on a free port
  mockmaker init                   write ${scenarioFile}, to start from
  mockmaker ${scenarioFile}
                                   serve it
  mockmaker show world.yaml        look at an exported world
  mockmaker exec -- npm test       run a command against its own mock
  mockmaker players 8 -- ./client  run eight clients of your game
  mockmaker check-server -- ./server
                                   check a game server
  eval "$(mockmaker env)"          set the variables for the mock on port 4100`,
  )

  program.option('--help-all', 'print the help with all flags').on('option:help-all', () => {
    showAllFlags(program)
    program.help()
  })
  const serving = addCommand(program, 'serve', 'serve a scenario; the same as mockmaker [scenario]')
  showAllFlags(makeServing(serving, console))
  addScenarioCommands(program, options)
  addContractCommands(program, options)
  addExec(program, options)
  addCheckServer(program, options)
  addMockCommands(program, options)
  addExport(program, options)
  addPlayers(program, options)
  addLab(program, options)
  addHelp(program)
  return program
}

function commandsFirst(command: Command, helper: Help): string {
  const [flags = '', commands] = Help.prototype.formatHelp.call(helper, command, helper).split(/^(?=Commands:$)/m)
  return commands === undefined ? flags : flags.replace(/^(?=Options:$)/m, `${commands}\n`)
}

function addScenarioCommands(program: Command, { console, packageRoot, setExitCode }: ProgramOptions): void {
  addCommand(program, 'show', 'open an exported world in the page, read-only')
    .argument('<file>', 'an export, the world of a failed test, or any other scenario')
    .action((file: string, flags: FlagsOf<'show'>) => show(file, flags, console))

  addCommand(program, 'validate', 'check scenario files')
    .argument('<file...>', 'scenario files, or names of shipped scenarios')
    .action(async (files: string[]) => {
      if (!(await validateScenarios(files, console))) setExitCode(failed)
    })

  addCommand(program, 'import', 'make a scenario from a HAR or a version config')
    .argument('<file>', 'a HAR of your browser, of Playwright, or of mockmaker export --har; or rivet.yaml')
    .action((file: string, flags: FlagsOf<'import'>) => importFile(file, flags, console))

  addCommand(program, 'diff', 'compare a HAR with the answers of the mock')
    .argument('<file>', 'a HAR of the real service')
    .action(async (file: string, flags: FlagsOf<'diff'>) => setExitCode(await diffHar(file, flags, console)))

  addCommand(program, 'init', 'write a scenario to start from, or a whole game')
    .argument('[folder]', 'the folder to write into', '.')
    .action((folder: string, { phaser, godot }: FlagsOf<'init'>, command: Command) => {
      if (phaser && godot) command.error('error: use either --phaser or --godot')
      const example = phaser ? 'phaser' : godot ? 'godot' : undefined
      init(folder, { packageRoot, example, console })
    })
}

async function validateScenarios(namesOrPaths: readonly string[], console: Console): Promise<boolean> {
  let isValid = true
  for (const nameOrPath of namesOrPaths) {
    try {
      const { scenario } = await loadScenario(nameOrPath, { commands: 'allowed' })
      const read = readScenario(scenario)
      const past = pastOf(read)
      // Only a mock reads the texts of a past.
      if (past) await createMock({ scenario: read }).close()
      console.print(`${nameOrPath}: ok${past ? `, ${capsuleText(past)}` : ''}`)
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      console.fail(error.message)
      isValid = false
    }
  }
  return isValid
}

function capsuleText({ version, made_at, changes, exchanges, stories }: Past): string {
  const parts = [
    counted(changes.length, 'change', 'changes'),
    counted(exchanges.length, 'request', 'requests'),
    counted(stories.stories.length, 'player', 'players'),
  ]
  return `a capsule of mockmaker ${version}, made ${made_at}: ${parts.join(', ')}`
}

function addContractCommands(program: Command, { console }: ProgramOptions): void {
  addCommand(program, 'routes', 'print the operations that the mock answers').action(() => {
    const width = Math.max(...operationIds.map(id => operations[id].path.length))
    for (const id of operationIds) {
      const { method, path, auth } = operations[id]
      console.print([console.style('bold', method.padEnd(6)), path.padEnd(width), auth.padEnd(9), id].join('  '))
    }
  })

  addCommand(program, 'openapi', 'print the OpenAPI document').action(({ control }: FlagsOf<'openapi'>) => {
    const document = control ? controlOpenapi({ version }) : openapi({ version })
    console.printDocument(JSON.stringify(document, null, 2))
  })
}

function addExec(program: Command, { console, commandToRun, setExitCode }: ProgramOptions): void {
  addCommand(program, 'exec', 'run a command against a mock of its own')
    .usage('[options] [scenario] -- <command> [argument...]')
    .argument('[scenario]', 'a scenario file, or the name of a shipped scenario')
    .addHelpText('after', '\nThe other options of a mock work too: mockmaker --help-all lists them.')
    // The errors below say more than commander's.
    .allowExcessArguments()
    .action(async (scenario: string | undefined, flags: FlagsOf<'exec'>, command: Command) => {
      const words = wordsAfterScenario(commandToRun, { command, example: 'npm test' })
      setExitCode(await exec(words, { loaded: await loadIfNamed(scenario, program), flags, console }))
    })
}

function addPlayers(program: Command, { console, commandToRun, setExitCode }: ProgramOptions): void {
  addCommand(program, 'players', 'run a client of your game as many players')
    .usage('<count> [options] -- <command> [argument...]')
    .argument('<count>', 'how many play at once', wholeNumber(1))
    .allowExcessArguments()
    .action(async (count: number, flags: FlagsOf<'players'>, command: Command) => {
      const takes = 'the number of players and options'
      const words = wordsToRun(commandToRun, command, './client --bot', { takes, own: 1 })
      if (flags.find && flags.lobby !== undefined) command.error('error: use either --find or --lobby')
      if (flags.find?.length === 0) command.error('error: --find needs a game mode, as in --find duel')
      setExitCode(await runPlayers(words, count, { flags, console }))
    })
}

function addLab(program: Command, { console, commandToRun, setExitCode }: ProgramOptions): void {
  addCommand(program, 'lab', 'check a client of a device link, and grade it')
    .usage('[options] -- <command> [argument...]')
    .allowExcessArguments()
    .action(async (flags: FlagsOf<'lab'>, command: Command) => {
      const words = wordsToRun(commandToRun, command, 'node client.mjs', { takes: 'options', own: 0 })
      setExitCode(await runLabCommand(words, { flags, console }))
    })
}

function addCheckServer(program: Command, { console, commandToRun, setExitCode }: ProgramOptions): void {
  addCommand(program, 'check-server', 'run a game server, and check what it calls')
    .usage('[options] [scenario] -- <command> [argument...]')
    .argument(
      '[scenario]',
      'a scenario file, or the name of a shipped scenario; its servers.command runs if there is no other',
    )
    // The errors below say more than commander's.
    .allowExcessArguments()
    .action(async (scenario: string | undefined, flags: FlagsOf<'check-server'>, command: Command) => {
      // A scenario can have the command of its servers.
      const isAlone = commandToRun === undefined && command.args.length === 1 && isScenario(scenario)
      const words = isAlone ? undefined : wordsAfterScenario(commandToRun, { command, example: './server' })
      const { expect = defaultExpected, players } = flags
      if (players === 0 && expect.some(call => playerCalls.includes(call)))
        command.error('error: without players nobody connects: add --expect ready, or remove --players 0')
      for (const flag of flagsAmong(words ?? [], command))
        console.warn(`${flag} after -- goes to the server: put it before --`)
      const loaded = await loadIfNamed(scenario, program).catch(error => {
        throw withQuoteHint(error, { scenario, client: flags.client })
      })
      const refuse = (message: string) => command.error(`error: ${message}`)
      setExitCode(await checkServerCommand(words, { loaded, flags, console, refuse }))
    })
}

function withQuoteHint(
  error: unknown,
  { scenario = '', client }: { readonly scenario?: string | undefined; readonly client?: string | undefined },
): unknown {
  const isOneWord = client !== undefined && !/\s/.test(client)
  if (!(error instanceof UsageError) || !isOneWord || /\.(?:ya?ml|json)$/i.test(scenario)) return error
  return new UsageError(`${error.message}\nquote the command of the client: --client '${client} ${scenario}'`)
}

function flagsAmong([, ...args]: readonly string[], { options }: Command): string[] {
  const names = args.map(word => word.replace(/=.*/s, ''))
  return options.flatMap(({ long }) => (long && names.includes(long) ? [long] : []))
}

function wordsToRun(
  words: readonly string[] | undefined,
  command: Command,
  example: string,
  // `takes`: what may stand before `--`, in words. `own`: its number of arguments.
  { takes, own }: { readonly takes: string; readonly own: number },
): readonly string[] {
  const [before, excess] = [command.args.slice(0, own), command.args.slice(own)]
  // PowerShell drops a bare one.
  const dashes = process.platform === 'win32' ? "'--'" : '--'
  const start = ['mockmaker', command.name(), ...before, dashes].join(' ')
  if (words?.[0] && excess.length === 0) return words
  if (excess.length === 0) return command.error(`error: the command after -- is missing: ${start} ${example}`)
  if (words) return command.error(`error: put only ${takes} before --: remove ${excess[0]}`)
  return command.error(`error: put ${dashes} before the command: ${start} ${excess.join(' ')}`)
}

function isScenario(word: string | undefined): boolean {
  return word !== undefined && (isScenarioPath(word) || Object.hasOwn(scenarios, word))
}

function wordsAfterScenario(
  words: readonly string[] | undefined,
  { command, example }: { readonly command: Command; readonly example: string },
): readonly string[] {
  const hasScenario = words || isScenario(command.args[0])
  return wordsToRun(words, command, example, { takes: 'a scenario', own: hasScenario ? 1 : 0 })
}

function addMockCommands(program: Command, { streams, console, setExitCode }: ProgramOptions): void {
  addCommand(program, 'env', 'print the variables for a client or a game server')
    .argument('[lobby_id]', 'print the variables for the game server of this lobby')
    .action((lobbyId: string | undefined, flags: FlagsOf<'env'>, command: Command) => {
      if (lobbyId !== undefined && command.getOptionValueSource('token') === 'cli')
        command.error(`error: the server of a lobby uses the token of that lobby: remove --token ${flags.token}`)
      return printEnvironment(lobbyId, flags, console)
    })

  addCommand(program, 'health', 'check that a running mock is ready').action((flags: FlagsOf<'health'>) =>
    checkHealth(flags, console),
  )

  addCommand(program, 'story', 'tell what happened to a player of a running mock')
    .argument('[player]', 'the token of the player, its beginning, or its name. Without it: the newest 20 players')
    .action((player: string | undefined, flags: FlagsOf<'story'>, command: Command) => {
      if (flags.mermaid && player === undefined)
        command.error('error: --mermaid draws one player: name it. mockmaker story lists the newest')
      if (flags.mermaid && flags.json) command.error('error: use either --mermaid or --json')
      return printStory(player, flags, console)
    })

  addCommand(program, 'mcp', 'serve tools for a coding agent, over MCP').action(
    async (flags: FlagsOf<'mcp'>, command: Command) => {
      const isDefault = command.getOptionValueSource('url') === 'default'
      setExitCode(await serveMcp({ ...flags, isDefault }, { streams, console }))
    },
  )
}

function addExport(program: Command, { console }: ProgramOptions): void {
  addCommand(program, 'export', 'print a world as a scenario, a capsule or a HAR').action(
    (flags: FlagsOf<'export'>, command: Command) => {
      checkExport(flags, command)
      if (flags.capsule !== undefined) return exportCapsule(flags.capsule, flags, console)
      const print = documentPrinter(flags.output, console)
      if (flags.har) return exportHar(flags, { print, console })
      return flags.data === undefined ? exportScenario(flags, print) : exportFromFolder(flags, print)
    },
  )
}

function checkExport(flags: FlagsOf<'export'>, command: Command): void {
  const { data, har, revision, with: parts, capsule, last, output } = flags
  const isGiven = (name: string) => command.getOptionValueSource(name) === 'cli'
  if (last !== undefined && capsule === undefined) command.error('error: --last cuts a capsule: add --capsule <file>')
  const without = Object.entries({ '--har': har, '--revision': revision, '--with': parts, '--output': output })
  const [odd] = without.find(([, value]) => value !== undefined) ?? []
  if (capsule !== undefined && odd !== undefined)
    command.error(`error: --capsule writes the whole world to its file: remove ${odd}`)
  if (capsule === undefined && output?.endsWith('.html'))
    command.error(`error: a page is a capsule: write --capsule ${output} in place of --output`)
  if (har && data !== undefined) command.error('error: a folder has no journal: export --har from a running mock')
  if (har && parts) command.error('error: --har prints the journal alone: remove --with')
  if (har && revision !== undefined) command.error('error: --har prints the whole journal: remove --revision')
  if (data === undefined && isGiven('world'))
    command.error('error: --world names a world of a folder: add --data <folder>, or name the world in --url')
  if (data !== undefined && isGiven('url')) command.error('error: use either --data or --url')
  // The URL may have a password.
  if (data !== undefined && isRedisUrl(data))
    command.error('error: --data reads a folder: name a replica with --url to export a world from Redis')
}

function addHelp(program: Command): void {
  addCommand(program, 'help', 'print the help of a command')
    .argument('[command]')
    .action((name: string | undefined) => {
      if (name === undefined) return program.help()
      const named = program.commands.find(command => command.name() === name)
      return named ? named.help() : program.error(`error: unknown command '${name}'${suggestCommand(name, program)}`)
    })
}

function addCommand(program: Command, name: string, description: string): Command {
  const command = program
    .command(name)
    .description(description)
    .helpOption('-h, --help', 'print this help')
    // Otherwise the command inherits the setting of `mockmaker [scenario]`.
    .allowExcessArguments(false)
    .showHelpAfterError(`mockmaker ${name} --help lists the options`)
  return addFlags(command, name)
}

function makeServing(command: Command, console: Console): Command {
  return (
    command
      .showHelpAfterError('mockmaker --help lists the options')
      .argument('[scenario]', 'a scenario file, or the name of a shipped scenario')
      // The error below says more than commander's.
      .allowExcessArguments()
      .action(async (scenario: string | undefined, options: FlagsOf<'serve'>) => {
        const program = command.parent ?? command
        const [first = '', ...others] = command.args
        if (others.length > 0) {
          const hint = suggestCommand(first, program)
          command.error(
            hint ? `error: unknown command '${first}'${hint}` : 'error: too many arguments: name one scenario',
          )
        }
        const flags = { ...options, ...flagsBefore(command, program) }
        await serve({ loaded: await loadIfNamed(scenario, program), flags, console })
      })
  )
}

/** Returns the flags before the name of a command, as in `mockmaker --port 0 serve`. The same flags after it win. */
function flagsBefore(command: Command, program: Command): Partial<FlagsOf<'serve'>> {
  if (command === program) return {}
  const isBefore = (name: string) =>
    program.getOptionValueSource(name) === 'cli' && command.getOptionValueSource(name) !== 'cli'
  return Object.fromEntries(Object.entries(program.opts()).filter(([name]) => isBefore(name)))
}

async function loadIfNamed(scenario: string | undefined, program: Command): Promise<LoadedScenario | undefined> {
  if (scenario === undefined) return undefined
  try {
    return await loadScenario(scenario, { commands: 'allowed' })
  } catch (error) {
    if (!(error instanceof UsageError) || existsSync(scenario)) throw error
    throw new UsageError(`${error.message}${suggestCommand(scenario, program)}\nmockmaker --help lists the options`)
  }
}

function withNearOption(text: string): string {
  const [suggestion, listed = ''] = /\n\(Did you mean (?:one of )?(.*)\?\)$/.exec(text) ?? []
  const word = /unknown option '-*(.*?)'/.exec(text)?.[1]
  if (suggestion === undefined || word === undefined) return text
  const near = nearestName(
    word,
    listed.split(', ').map(option => option.replace(/^-+/, '')),
  )
  return text.slice(0, -suggestion.length) + (near === undefined ? '' : `\n(Did you mean --${near}?)`)
}

function suggestCommand(word: string, program: Command): string {
  const names = program.commands.map(command => command.name())
  const near = nearestName(word, names)
  return near === undefined ? '' : `\n(Did you mean the command ${near}?)`
}

/** Finds the name that a word most likely meant. `nearest` counts two swapped letters as two differences. */
function nearestName(word: string, names: readonly string[]): string | undefined {
  const letters = (text: string) => [...text].sort().join()
  return names.find(name => letters(name) === letters(word)) ?? nearest(word, names)
}
