import { type Command, InvalidArgumentError, Option } from 'commander'
import { splitWorldUrl } from '../contract/paths.js'
import { secretVariables } from '../control/environment.js'
import { addressForms, controlHostForms, isAddressOrNetwork, isControlHost } from '../http/address-lists.js'
import { checkControlToken } from '../http/control-token.js'
import { defaultDataTtlMs } from '../http/data-folder.js'
import { defaultPort } from '../http/server.js'
import { checkNames, isCheckName } from '../lab/checks.js'
import { parseUrl } from '../lib/parse-url.js'
import { didYouMean, nearest, quoted } from '../lib/text.js'
import { expectedDuration, formatDuration, parseDuration } from '../lib/time.js'
import type { LabCheckName } from '../mock/lab.js'
import {
  historyFormat,
  historyLengthOf,
  type ListenOptions,
  type MockmakerOptions,
  parseOptions,
} from '../mock/options.js'

import { defaultMaxBots } from '../processes/bots.js'
import { type ExpectableCall, expectableCalls } from '../processes/judge-server.js'

import { hostForm, isHost, isOrigin } from '../server/origin.js'
import { sessionLimits } from '../store/matchmaker-rows.js'

/** The options of all commands that start a mock. */
export interface MockFlags
  extends Pick<MockmakerOptions, 'seed' | 'live' | 'maxWorlds'>,
    Pick<ListenOptions, 'host' | 'allowedHosts' | 'control'> {
  readonly controlHost?: readonly string[]
  /** `auto`: the command makes one. */
  readonly controlToken?: string
  readonly trustProxy?: readonly string[]
  /** Without a slash at its end. */
  readonly publicUrl?: string
  readonly corsOrigin?: readonly string[]
  /** A command of the shell. */
  readonly serverCommand?: string
  /** A duration. */
  readonly serverReadyWithin?: string
  readonly serverWatch?: readonly string[]
  readonly maxBots?: number
  /** In ms. */
  readonly watchTimeout?: number
  /** In ms. */
  readonly worldTtl?: number
  /** In requests. */
  readonly journal?: number
  /** A duration, or a number of change sets. */
  readonly history?: string | number
  /** A folder, or a URL of Redis. */
  readonly data?: string
  /** The beginning of each key in Redis. */
  readonly dataPrefix?: string
  /** The URL by which other replicas reach this one. Without a slash at its end. */
  readonly advertise?: string
  /** In ms. */
  readonly dataTtl?: number
  readonly dataSync?: 'second' | 'always'
  readonly reset?: boolean
}

/** The options of `mockmaker [scenario]`. */
export interface ServeFlags extends MockFlags {
  readonly port: number
  readonly json?: boolean
  readonly quiet?: boolean
  /** Opens the mock to the network, with a control token. */
  readonly share?: boolean
  /** Opens the page in a browser after the start. */
  readonly open?: boolean
  /** Default: true. */
  readonly reload?: boolean
}

/** The kinds of tokens that clients use. A game server uses the token of its lobby instead. */
const tokenKinds = ['public', 'development', 'cloud'] as const
export type TokenKind = (typeof tokenKinds)[number]

const defaults = parseOptions({})

/** The options of `mockmaker show`. */
export type ShowFlags = Pick<ServeFlags, 'port' | 'open' | 'controlToken'>

/** Adds the options of a command that serves. */
export function addServeOptions(command: Command): Command {
  command
    .optionsGroup('Serve:')
    .addOption(portOption().env('PORT').default(defaultPort))
    .addOption(openOption())
    .option(
      '--share',
      'let your network use the mock: makes a control token, and prints a link and a QR code for the page',
    )
    .option('--no-reload', 'do not reload the scenario file when it changes')
  return addMockOptions(command)
    .optionsGroup('Output:')
    .option('--json', 'print one JSON object per line')
    .option('--quiet', 'after the first lines, print only errors')
}

/** Adds the options of a command that shows a world. */
export function addShowOptions(command: Command): Command {
  return command.addOption(portOption().default(0)).addOption(openOption()).addOption(servedControlTokenOption())
}

/** The options of `mockmaker players`. */
export interface PlayersFlags {
  readonly url: string
  readonly controlToken?: string
  readonly token: TokenKind
  /** The game modes of `lobbies.find`. */
  readonly find?: readonly string[]
  /** The id of a lobby. */
  readonly lobby?: string
  /** In ms. */
  readonly session?: number
  readonly seed: number
  readonly maxBots: number
  readonly json?: boolean
  readonly quiet?: boolean
}

/** Adds the options of `mockmaker players`. */
export function addPlayersOptions(command: Command): Command {
  return command
    .addOption(urlOption())
    .addOption(tokenOption())
    .addOption(sentControlTokenOption())
    .option('--find <modes>', 'give each bot a seat in one of these game modes, separated by commas', parseList)
    .option('--lobby <lobby_id>', 'give each bot a seat in this lobby', notBlank('the id of a lobby'))
    .option(
      '--session <duration>',
      'how long a bot stays on average, from 10s to 7d (default: until it ends by itself)',
      parseSession,
    )
    .addOption(countOption('--seed <seed>', 'the seed of arrivals and stays', 1, 0))
    .addOption(maxBotsOption())
    .option('--json', 'print one JSON object per line')
    .option('--quiet', 'print only errors')
}

function maxBotsOption(): Option {
  return countOption('--max-bots <n>', 'the most bots at once', defaultMaxBots, 0)
}

function parseSession(text: string): number {
  const ms = parseDuration(text)
  if (ms !== undefined && ms >= sessionLimits.min && ms <= sessionLimits.max) return ms
  throw new InvalidArgumentError('Expected a duration from 10s to 7d.')
}

function portOption(): Option {
  return new Option('--port <port>', 'the port to listen on; 0 picks a free port').argParser(wholeNumber(0, 65_535))
}

function openOption(): Option {
  return new Option('--open', 'open the page of the mock in a browser')
}

/** Adds the options of a command that starts a mock, by groups of its help. */
function addMockOptions(command: Command): Command {
  addWorldOptions(command)
  addStorageOptions(command)
  addServerOptions(command)
  return addNetworkOptions(command)
}

function addWorldOptions(command: Command): Command {
  return command
    .optionsGroup('World:')
    .option('--seed <seed>', "the seed of ids, tokens and fake data (default: the scenario's)", wholeNumber(0))
    .option('--live', 'simulate players in each namespace, unless the scenario sets its players')
    .addOption(
      durationOption(
        '--watch-timeout <duration>',
        'the longest time that a watch waits for a change: 250ms, 40s, 1m30s',
        defaults.watchTimeoutMs,
      ),
    )
    .addOption(countOption('--max-worlds <n>', 'the most worlds, including the default one', defaults.maxWorlds, 1))
    .addOption(
      durationOption('--world-ttl <duration>', 'the time after which an unused world is deleted', defaults.worldTtlMs),
    )
    .addOption(countOption('--journal <n>', 'the most requests in the journal of each world', defaults.journalSize, 0))
    .addOption(
      new Option(
        '--history <length>',
        "how far the history of each world goes back: a duration of the world's clock, or a number of change sets",
      )
        .default(defaults.history)
        .argParser(parseHistory),
    )
}

function addStorageOptions(command: Command): Command {
  return command
    .optionsGroup('Storage:')
    .addOption(
      new Option(
        '--data <place>',
        'keep the worlds in this folder, or in Redis (redis://host:6379), which several replicas share (default: only in memory)',
      )
        .env(secretVariables.data)
        .argParser(notBlank('a folder, or a URL such as redis://127.0.0.1:6379')),
    )
    .option('--data-prefix <prefix>', 'begin each key in Redis with this (default: mockmaker:)', notBlank('a text'))
    .option(
      '--advertise <url>',
      'the URL by which other replicas reach this one (default: its own URL)',
      parseAdvertised,
    )
    .addOption(
      durationOption(
        '--data-ttl <duration>',
        'the time after which a world that came over HTTP is deleted from the storage, if nobody uses it',
        defaultDataTtlMs,
      ),
    )
    .addOption(
      new Option('--data-sync <when>', 'when changes reach the disk: once a second, or always before the answer')
        .choices(['second', 'always'])
        .default('second'),
    )
    .option('--reset', 'delete the worlds of the storage, and begin anew')
}

function addServerOptions(command: Command): Command {
  return command
    .optionsGroup('Game servers and bots:')
    .option(
      '--server-command <command>',
      'start this game server for each lobby that find or create makes',
      notBlank('a command, as in "node game-server.mjs"'),
    )
    .option(
      '--server-ready-within <duration>',
      'stop a lobby if its game server is not ready within this time (default: 5m)',
      text => formatDuration(parseMs(text)),
    )
    .option(
      '--server-watch <paths>',
      'restart the running game servers when one of these files and folders changes, separated by commas',
      parseList,
    )
    .addOption(maxBotsOption())
}

function addNetworkOptions(command: Command): Command {
  return command
    .optionsGroup('Network:')
    .option('--host <host>', 'the address to listen on (default: 127.0.0.1 and ::1)', notBlank('an address or a name'))
    .option('--allowed-hosts <names>', 'more names to accept in the Host header, separated by commas', parseNames)
    .option(
      '--cors-origin <origins>',
      "more origins whose pages may use the mock, besides localhost and the scenario's, separated by commas; null means sandboxed frames",
      parseOrigins,
    )
    .option(
      '--public-url <url>',
      'the URL by which others reach the mock, for device links and game servers (default: the address by which each client asks)',
      parsePublicUrl,
    )
    .option('--no-control', 'turn off the control API under /__mock')
    .option(
      '--control-host <addresses>',
      'addresses and networks (192.168.1.0/24) of other machines that may use the control API, separated by commas; * means all (default: none)',
      parseAddresses(isControlHost, controlHostForms),
    )
    .addOption(servedControlTokenOption())
    .option(
      '--trust-proxy <addresses>',
      'addresses and networks of proxies in front of the mock, whose x-forwarded-for or forwarded names the client, separated by commas (default: none)',
      parseAddresses(isAddressOrNetwork, addressForms),
    )
}

/** The options of a mock that `mockmaker exec --help` lists. */
const listedByExec = ['--seed', '--live', '--server-command']

/** Adds the options of `mockmaker exec`. Its help lists a few of them. */
export function addExecOptions(command: Command): Command {
  command.addOption(tokenOption())
  addMockOptions(command)
  for (const option of command.options)
    if (option.long !== '--token' && !listedByExec.includes(option.long ?? '')) option.hideHelp()
  return command.addHelpText('after', '\nThe other options of a mock work too: mockmaker --help lists them.')
}

/** Adds the options of `mockmaker lab`. */
export function addLabOptions(command: Command): Command {
  return command
    .option('--only <checks>', 'run only these checks, as in gap,retry; may be repeated', parseChecks)
    .option('--quick', 'leave out patience, which takes minutes')
    .option('--baseline <file>', 'a file with a line for each check that may fail; one that passes fails then')
    .option('--junit <file>', 'write the results as JUnit XML to this file')
    .option('--json', 'print the report as one line of JSON')
}

function parseChecks(text: string, before: readonly LabCheckName[] = []): LabCheckName[] {
  const names = parseList(text)
  const wrong = names.find(name => !isCheckName(name))
  if (names.length > 0 && wrong === undefined) return [...before, ...names.filter(isCheckName)]
  const near = nearest(wrong ?? '', checkNames)
  throw new InvalidArgumentError(
    `Expected ${checkNames.join(', ')}.${near === undefined ? '' : ` Did you mean ${near}?`}`,
  )
}

/** The options of `mockmaker check-server`. */
export interface CheckServerFlags extends Pick<MockFlags, 'seed'> {
  /** Default: `defaultExpected`. */
  readonly expect?: readonly ExpectableCall[]
  /** In ms. */
  readonly within: number
  readonly players: number
  /** A command of the shell. */
  readonly client?: string
  readonly gameMode?: string
  readonly json?: boolean
  /** A file. */
  readonly junit?: string
}

/** The most players of a check. */
const mostPlayers = 64

/** Adds the options of `mockmaker check-server`. */
export function addCheckServerOptions(command: Command): Command {
  return command
    .option(
      '--expect <calls>',
      `the calls that must come, separated by commas: ${expectableCalls.join(', ')} (default: ${defaultExpected})`,
      parseExpected,
    )
    .addOption(durationOption('--within <duration>', 'the time in which they must come', 120_000))
    .addOption(
      new Option('--players <n>', 'the number of players in the lobby')
        .default(1)
        .argParser(wholeNumber(0, mostPlayers)),
    )
    .option(
      '--client <command>',
      'run this command for each player, with its token and its port in the environment',
      notBlank('a command, as in "node client.mjs"'),
    )
    .option('--game-mode <id>', "the game mode of the lobby (default: the scenario's first)", notBlank('the id of one'))
    .option('--seed <seed>', "the seed of ids and tokens (default: the scenario's)", wholeNumber(0))
    .option('--json', 'print the result as JSON')
    .option('--junit <file>', 'also write the result to a file, as JUnit XML', notBlank('the path of a file'))
}

/** The calls that a check expects if nobody says others. */
export const defaultExpected: readonly ExpectableCall[] = ['ready', 'connected', 'disconnected']

function parseExpected(text: string, before: readonly ExpectableCall[] = []): ExpectableCall[] {
  const calls = parseList(text).map(name => {
    const call = expectableCalls.find(one => one === name)
    if (call !== undefined) return call
    throw new InvalidArgumentError(`There is no call ${quoted(name)}.${didYouMean(name, expectableCalls)}`)
  })
  if (calls.length === 0) throw new InvalidArgumentError(`Expected one or more of ${expectableCalls.join(', ')}.`)
  return [...new Set([...before, ...calls])]
}

/** Translates the options of a command into those of a mock. */
export function mockOptionsOf(flags: MockFlags): MockmakerOptions {
  return {
    seed: flags.seed,
    live: flags.live,
    maxWorlds: flags.maxWorlds,
    corsOrigins: flags.corsOrigin,
    watchTimeoutMs: flags.watchTimeout,
    worldTtlMs: flags.worldTtl,
    journalSize: flags.journal,
    history: flags.history,
  }
}

/** `port` is that of the default URL. */
export function urlOption(port: string | number = defaultPort): Option {
  return new Option('--url <url>', 'the URL of the mock, or of one of its worlds: http://127.0.0.1:4100/w/test-42')
    .default(`http://127.0.0.1:${port}`)
    .argParser(parseMockUrl)
}

function servedControlTokenOption(): Option {
  return controlTokenOption(
    'the token that every call of the control API needs, from this machine too; auto makes one',
    text => (text === 'auto' ? text : checkControlToken(text, 'the control token')),
  )
}

/** The option of a command that calls a mock. */
export function sentControlTokenOption(): Option {
  return controlTokenOption('the control token of the mock, if it has one', text =>
    checkControlToken(text, 'the control token'),
  )
}

/** Not with `InvalidArgumentError`: commander would print the token. */
function controlTokenOption(description: string, parse: (text: string) => string): Option {
  return new Option('--control-token <token>', description).env(secretVariables.controlToken).argParser(parse)
}

export function tokenOption(): Option {
  return new Option('--token <kind>', 'the kind of token to put in RIVET_TOKEN').choices(tokenKinds).default('public')
}

/** Parses a comma-separated list. The option may be repeated. */
function parseList(text: string, before: readonly string[] = []): string[] {
  const values = text.split(',').map(value => value.trim())
  return [...before, ...values.filter(value => value !== '')]
}

function parseAddresses(isRight: (text: string) => boolean, expected: string) {
  return (text: string, before: readonly string[] = []): string[] => {
    const addresses = parseList(text)
    if (addresses.length > 0 && addresses.every(isRight)) return [...before, ...addresses]
    throw new InvalidArgumentError(`Expected ${expected}.`)
  }
}

function parseNames(text: string, before: readonly string[] = []): string[] {
  const names = parseList(text)
  if (names.length > 0 && names.every(isHost)) return [...before, ...names]
  throw new InvalidArgumentError(`Expected ${hostForm}.`)
}

/** Parses the parts that a snapshot may have besides the world. */
export function parseParts(text: string, before: readonly string[] = []): string[] {
  const parts = parseList(text)
  const wrong = parts.find(part => !snapshotParts.includes(part))
  if (parts.length > 0 && wrong === undefined) return [...before, ...parts]
  const near = nearest(wrong ?? '', snapshotParts)
  throw new InvalidArgumentError(
    `Expected journal, faults, or journal,faults.${near === undefined ? '' : ` Did you mean ${near}?`}`,
  )
}

const snapshotParts = ['journal', 'faults']

function parseOrigins(text: string, before?: readonly string[]): string[] {
  const origins = parseList(text, before)
  if (origins.every(isOrigin)) return origins
  throw new InvalidArgumentError('Expected an origin such as https://game.example, or null.')
}

function countOption(flags: string, description: string, count: number, least: number): Option {
  return new Option(flags, description).default(count).argParser(wholeNumber(least))
}

function durationOption(flags: string, description: string, ms: number): Option {
  return new Option(flags, description).default(ms, formatDuration(ms)).argParser(parseMs)
}

export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return text => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= least && value <= most) return value
    const range = most === Number.MAX_SAFE_INTEGER ? `, ${least} or more` : ` from ${least} to ${most}`
    throw new InvalidArgumentError(`Expected a whole number${range}.`)
  }
}

function parseMs(text: string): number {
  const ms = parseDuration(text)
  if (ms === undefined) throw new InvalidArgumentError(`Expected ${expectedDuration(text)}.`)
  return ms
}

function parseHistory(text: string): string | number {
  const length = /^\d+$/.test(text) ? Number(text) : text
  if (historyLengthOf(length) === undefined) throw new InvalidArgumentError(`Expected ${historyFormat}.`)
  return length
}

/** Refuses the empty text that an unset variable of the shell makes. As a host it would mean every address. */
export function notBlank(expected: string): (text: string) => string {
  return text => {
    if (text.trim() === '') throw new InvalidArgumentError(`Expected ${expected}.`)
    return text
  }
}

function parsePublicUrl(text: string): string {
  const url = /^https?:\/\/[^?#@]+$/i.test(text) ? parseUrl(text) : undefined
  if (url && splitWorldUrl(text)?.encodedId === undefined) return text.replace(/\/+$/, '')
  throw new InvalidArgumentError('Expected a URL without a query and without a world, such as https://mock.example.')
}

function parseAdvertised(text: string): string {
  const url = parseUrl(text)
  if (url && /^http:\/\/[^/?#@]+\/*$/i.test(text)) return url.origin
  throw new InvalidArgumentError('Expected a URL without a path, such as http://10.0.0.5:4100.')
}

/** Parses a URL, and removes slashes at its end. */
function parseMockUrl(text: string): string {
  if (!/^https?:\/\//i.test(text) || !parseUrl(text))
    throw new InvalidArgumentError('Expected a URL, as in http://127.0.0.1:4100.')
  return text.replace(/\/+$/, '')
}
