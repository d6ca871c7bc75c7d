import { isIPv6 } from 'node:net'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { splitWorldUrl } from '../core/contract/paths.js'
import { secretVariables } from '../core/control/environment.js'
import { parseInput } from '../core/lib/issues.js'
import { nearest, UsageError } from '../core/lib/messages.js'
import { expectedDuration, formatDuration, parseDuration } from '../core/lib/time.js'
import { parseUrl, redactCredentials } from '../core/lib/url.js'
import { historyFormat, historyLengthOf, MockmakerOptions } from '../core/mock/options.js'
import { hostForm, isAllowedHost, isOrigin } from '../core/pipeline/origin.js'
import { sessionLimits, shortestStayMs } from '../core/store/matchmaker-rows.js'
import { checkNames } from '../lab/checks.js'
import type { SharedFlags } from '../server/cluster/shared-settings.js'
import { controlHostForms, isControlHost, isProxy, proxyForms } from '../server/http/address-lists.js'
import { checkControlToken } from '../server/http/control-token.js'
import { defaultDataTtlMs } from '../server/http/data-folder.js'
import { defaultPort } from '../server/http/server.js'
import { defaultMaxBots } from '../server/processes/bots.js'
import { type ExpectableCall, expectableCalls } from '../server/processes/judge-server.js'

/** A flag of a command: how the help shows it, its help, and more. Without `parse` and `choices` it takes no value. */
type Flag = readonly [
  flag: string,
  help: string,
  more?: {
    /** Parses the text. `before` is the earlier value of a repeated flag. Throws `InvalidArgumentError`. */
    parse?(text: string, before?: never): unknown
    readonly choices?: readonly string[]
    readonly default?: string | number | (() => string)
    /** The effect of leaving the flag out, for help, if the flag has no default. */
    readonly without?: string
    /** A variable that takes the place of the flag. */
    readonly env?: string
    /** True if `mockmaker --help` and `mockmaker exec --help` list the flag. `--help-all` lists all. */
    readonly isEveryday?: true
    /**
     * Set if all replicas have the same: `answers`, because the flag changes answers, as long as the storage has worlds, and `access`,
     * because it says who may use the mock, while they run.
     */
    readonly shared?: 'answers' | 'access'
  },
]

/** Flags, by the names that commander gives them. */
export type FlagTable = Readonly<Record<string, Flag>>

type ValueOf<Row> = Row extends readonly [string, string, { parse(...args: never): infer Value }]
  ? Value
  : Row extends readonly [string, string, { readonly choices: readonly (infer Choice)[] }]
    ? Choice
    : boolean

type Preset<Rows> = {
  [Name in keyof Rows]: Rows[Name] extends readonly [string, string, { readonly default: unknown }] ? Name : never
}[keyof Rows]

type ValuesOf<Rows> = { readonly [Name in Preset<Rows>]: ValueOf<Rows[Name]> } & {
  readonly [Name in Exclude<keyof Rows, Preset<Rows>>]?: ValueOf<Rows[Name]> | undefined
}

const defaults = parseInput(MockmakerOptions, {}, 'options')

/** The kinds of tokens that clients use. A game server uses the token of its lobby instead. */
const token = [
  '--token <kind>',
  'the kind of token to put in RIVET_TOKEN',
  { choices: ['public', 'development', 'cloud'], default: 'public' },
] as const

const portHelp = 'the port to listen on; 0 picks a free port'
const open = ['--open', 'open the page of the mock in a browser', { isEveryday: true }] as const

const urlHelp = 'the URL of the mock, or of one of its worlds: http://127.0.0.1:4100/w/test-42'
const defaultUrl = `http://127.0.0.1:${defaultPort}`
const url = ['--url <url>', urlHelp, { parse: parseMockUrl, default: defaultUrl }] as const

const servedControlToken = [
  '--control-token <token>',
  'the token that every call of the control API needs; auto makes one',
  { parse: (text: string) => (text === 'auto' ? text : parseControlToken(text)), env: secretVariables.controlToken },
] as const
const controlToken = [
  '--control-token <token>',
  'the control token of the mock, if it has one',
  { parse: parseControlToken, env: secretVariables.controlToken },
] as const

const maxBots = ['--max-bots <n>', 'the most bots at once', { parse: wholeNumber(0), default: defaultMaxBots }] as const
const output = ['-o, --output <file>', 'write to this file instead', { parse: notBlank('the path of a file') }] as const

const serving = {
  port: ['--port <port>', portHelp, { parse: parsePort, default: defaultPort, env: 'PORT', isEveryday: true }],
  open,
  share: ['--share', 'let your network in: prints a link with a control token', { isEveryday: true }],
  reload: ['--no-reload', 'do not reload the scenario file when it changes', { isEveryday: true }],
} as const satisfies FlagTable

const world = {
  seed: [
    '--seed <seed>',
    'the seed of ids, tokens and fake data',
    { parse: wholeNumber(0), without: "the scenario's", isEveryday: true, shared: 'answers' },
  ],
  live: ['--live', 'simulate players, unless the scenario sets its own', { isEveryday: true, shared: 'answers' }],
  watchTimeout: [
    '--watch-timeout <duration>',
    'the longest wait for a change: 250ms, 40s, 1m30s',
    { parse: parseMs, default: defaults.watchTimeoutMs, shared: 'answers' },
  ],
  maxWorlds: [
    '--max-worlds <n>',
    'the most worlds, including the default one',
    { parse: wholeNumber(1), default: defaults.maxWorlds, shared: 'answers' },
  ],
  worldTtl: [
    '--world-ttl <duration>',
    'the time after which an unused world is deleted',
    { parse: parseMs, default: defaults.worldTtlMs },
  ],
  journal: [
    '--journal <n>',
    'the most requests in the journal of each world',
    { parse: wholeNumber(0), default: defaults.journalSize, shared: 'answers' },
  ],
  history: [
    '--history <length>',
    'the history of each world: a duration, or a number of change sets',
    { parse: parseHistory, default: defaults.history, shared: 'answers' },
  ],
} as const satisfies FlagTable

const storage = {
  data: [
    '--data <place>',
    'keep the worlds in this folder, or in Redis: redis://host:6379',
    {
      parse: notBlank('a folder, or a URL such as redis://127.0.0.1:6379'),
      without: 'only in memory',
      env: secretVariables.data,
      isEveryday: true,
    },
  ],
  dataPrefix: [
    '--data-prefix <prefix>',
    'begin each key in Redis with this',
    { parse: notBlank('a text'), without: 'mockmaker:' },
  ],
  advertise: [
    '--advertise <url>',
    'the URL by which other replicas reach this one',
    { parse: parseAdvertised, without: 'its own URL' },
  ],
  dataTtl: [
    '--data-ttl <duration>',
    'the time after which the storage deletes an unused world',
    { parse: parseMs, default: defaultDataTtlMs },
  ],
  dataSync: [
    '--data-sync <when>',
    'when changes reach the disk: each second, or before each answer',
    { choices: ['second', 'always'], default: 'second' },
  ],
  reset: ['--reset', 'delete the worlds of the storage, and begin anew'],
} as const satisfies FlagTable

const programs = {
  serverCommand: [
    '--server-command <command>',
    'start this game server for each new lobby',
    { parse: notBlank('a command, as in "node game-server.mjs"'), isEveryday: true, shared: 'answers' },
  ],
  serverReadyWithin: [
    '--server-ready-within <duration>',
    'stop a lobby if its game server is not ready within this time',
    { parse: (text: string) => formatDuration(parseMs(text)), without: '5m', shared: 'answers' },
  ],
  serverWatch: [
    '--server-watch <path,...>',
    'restart the game servers when one of these paths changes',
    { parse: anyList },
  ],
  maxBots,
} as const satisfies FlagTable

const network = {
  host: ['--host <host>', 'the address to listen on', { parse: parseHost, without: '127.0.0.1 and ::1' }],
  allowedHosts: [
    '--allowed-hosts <name,...>',
    'more names for the Host header; .example.com has its subdomains too',
    { parse: list(isAllowedHost, hostForm), shared: 'access' },
  ],
  corsOrigin: [
    '--cors-origin <origin,...>',
    'more origins whose pages may use the mock; null: sandboxed frames',
    { parse: parseOrigins, shared: 'answers' },
  ],
  publicUrl: [
    '--public-url <url>',
    'the URL by which others reach the mock',
    { parse: parsePublicUrl, without: 'the address by which each client asks', shared: 'answers' },
  ],
  control: ['--no-control', 'turn off the control API under /__mock', { shared: 'access' }],
  controlHost: [
    '--control-host <address,...>',
    'other machines that may use the control API, also a network (192.168.1.0/24); *: all',
    { parse: list(isControlHost, controlHostForms), without: 'none', shared: 'access' },
  ],
  controlToken: servedControlToken,
  trustProxy: [
    '--trust-proxy <address,...>',
    'proxies whose x-forwarded-for or forwarded names the client, also a network',
    { parse: list(isProxy, proxyForms), without: 'none', shared: 'access' },
  ],
} as const satisfies FlagTable

const printing = {
  json: ['--json', 'print one JSON object per line', { isEveryday: true }],
  quiet: ['--quiet', 'after the first lines, print only errors', { isEveryday: true }],
} as const satisfies FlagTable

const groups: Readonly<Record<string, FlagTable>> = {
  'To serve': serving,
  'For worlds and their past': world,
  'For keeping worlds': storage,
  'For game servers and bots': programs,
  "For a team's server": network,
  'For scripts': printing,
}

const mock = { ...world, ...storage, ...programs, ...network }

/** The flags of each command. */
export const flagsOf = {
  serve: { ...serving, ...mock, ...printing },
  show: { port: ['--port <port>', portHelp, { parse: parsePort, default: 0 }], open, controlToken: servedControlToken },
  exec: {
    token,
    capsuleOnFailure: [
      '--capsule-on-failure <file>',
      'write the world with its past to this file if the command fails',
      { parse: notBlank('the path of a file') },
    ],
    failOnWarnings: ['--fail-on-warnings', 'exit with 1 if the mock warns of a client or a game server'],
    ...mock,
  },
  'check-server': {
    expect: [
      '--expect <call,...>',
      `the calls that must come, out of ${expectableCalls.join(', ')}`,
      {
        parse: listOf<ExpectableCall>(expectableCalls, `one or more of ${expectableCalls.join(', ')}`),
        without: 'ready,connected,disconnected',
      },
    ],
    within: ['--within <duration>', 'the time in which they must come', { parse: parseMs, default: 120_000 }],
    players: ['--players <n>', 'the number of players in the lobby', { parse: wholeNumber(0, 64), default: 1 }],
    client: [
      '--client <command>',
      'run this client for each player',
      { parse: notBlank('a command, as in "node client.mjs"') },
    ],
    gameMode: [
      '--game-mode <id>',
      'the game mode of the lobby',
      { parse: notBlank('the id of one'), without: "the scenario's first" },
    ],
    seed: ['--seed <seed>', 'the seed of ids and tokens', { parse: wholeNumber(0), without: "the scenario's" }],
    json: ['--json', 'print the result as JSON'],
    junit: ['--junit <file>', 'write the result to this file as JUnit XML', { parse: notBlank('the path of a file') }],
  },
  env: { url, token, controlToken },
  health: {
    url: [
      '--url <url>',
      urlHelp,
      { parse: parseMockUrl, default: () => `http://127.0.0.1:${process.env.PORT || defaultPort}` },
    ],
  },
  story: {
    url,
    controlToken,
    mermaid: ['--mermaid', 'print a diagram, which GitHub draws'],
    json: ['--json', 'print the result as JSON'],
  },
  mcp: {
    url: ['--url <url>', urlHelp, { parse: parseMockUrl, default: defaultUrl, env: 'MOCKMAKER_URL' }],
    controlToken,
  },
  players: {
    url,
    token,
    controlToken,
    find: ['--find <mode,...>', 'give each bot a seat in one of these game modes', { parse: anyList }],
    lobby: ['--lobby <lobby_id>', 'give each bot a seat in this lobby', { parse: notBlank('the id of a lobby') }],
    session: [
      '--session <duration>',
      'how long a bot stays on average, from 1s to 7d',
      { parse: parseSession, without: 'until it ends by itself' },
    ],
    seed: ['--seed <seed>', 'the seed of arrivals and stays', { parse: wholeNumber(0), default: 1 }],
    maxBots,
    json: ['--json', 'print one JSON object per line'],
    quiet: ['--quiet', 'print only errors'],
  },
  lab: {
    only: ['--only <check,...>', 'run only these checks', { parse: listOf(checkNames) }],
    quick: ['--quick', 'leave out patience, which takes minutes'],
    baseline: [
      '--baseline <file>',
      'a file with the checks that may fail, one a line; one that passes fails',
      { parse: String },
    ],
    junit: ['--junit <file>', 'write the result to this file as JUnit XML', { parse: String }],
    json: ['--json', 'print the result as JSON'],
  },
  export: {
    url,
    controlToken,
    with: [
      '--with <part,...>',
      'also print these parts: journal, faults',
      { parse: listOf(['journal', 'faults'], 'journal, faults, or journal,faults') },
    ],
    revision: ['--revision <n>', 'print the world as it was at this revision', { parse: wholeNumber(0) }],
    har: ['--har', 'print the journal as an HTTP Archive'],
    capsule: [
      '--capsule <file>',
      'write the world with its past to this file, which any browser opens',
      { parse: notBlank('the path of a file') },
    ],
    last: [
      '--last <duration>',
      'how much of the past the capsule has, as in 10m',
      { parse: (text: string) => formatDuration(parseMs(text)), without: 'all' },
    ],
    output,
    data: ['--data <folder>', 'print a world of this folder; no mock has to run', { parse: String }],
    world: ['--world <id>', 'the world of the folder to print', { parse: String, without: 'default' }],
  },
  import: { output },
  diff: {
    baseline: [
      '--baseline <file>',
      'a file with the differences that may be there, one a line; one that is gone fails',
      { parse: String },
    ],
    json: ['--json', 'print the result as JSON'],
  },
  init: {
    phaser: ['--phaser', 'write a game with Phaser, its game server and its tests'],
    godot: ['--godot', 'write a game for Godot 4, its game server and its tests'],
  },
  openapi: { control: ['--control', 'print that of the control API instead'] },
} as const satisfies Readonly<Record<string, FlagTable>>

/** The values of the flags of a command. */
export type FlagsOf<Name extends keyof typeof flagsOf> = ValuesOf<(typeof flagsOf)[Name]>

/** The values of the flags of all commands that start a mock. */
export type ServeFlags = Partial<ValuesOf<typeof mock>>

/** Adds the flags of a command to it. The help of a command that starts a mock lists those of every day. */
export function addFlags(command: Command, name: string): Command {
  const tables: Readonly<Record<string, FlagTable>> = flagsOf
  // `mockmaker serve --help` lists all.
  const isShort = command.parent === null || name === 'exec'
  const shared = Object.values(groups).flatMap(rows => Object.keys(rows))
  for (const [key, flag] of Object.entries(tables[name] ?? {})) {
    const [flags, help, { parse, choices, default: value, without, env, isEveryday } = {}] = flag
    const option = new Option(flags, without === undefined ? help : `${help} (default: ${without})`)
    if (parse) option.argParser(parse as (text: string, before: unknown) => unknown) // commander passes the value that the parser returned the last time
    if (choices) option.choices(choices)
    if (value !== undefined) option.default(typeof value === 'function' ? value() : value, durationText(flag))
    if (env !== undefined) option.env(env)
    if (isShort && shared.includes(key) && !isEveryday) option.hideHelp()
    command.addOption(option)
  }
  return command
}

/** Lets the help of a command that serves list all flags, in groups. */
export function showAllFlags(command: Command): void {
  for (const option of command.options) {
    option.hidden = false
    const group = Object.entries(groups).find(([, rows]) => Object.hasOwn(rows, option.attributeName()))
    if (group) option.helpGroup(`${group[0]}:`)
  }
}

export function durationText([, , { parse, default: value } = {}]: Flag): string | undefined {
  return parse === parseMs ? formatDuration(Number(value)) : undefined
}

/** Returns the flags of a kind that all replicas have in common, by their names. Those that are not given are missing. */
export function sharedFlags(flags: ServeFlags, kind: 'answers' | 'access'): SharedFlags {
  const values: Readonly<Record<string, ServeFlags[keyof ServeFlags]>> = flags
  const rows = Object.entries<Flag>(mock).filter(([, [, , more]]) => more?.shared === kind)
  const given = rows.map(([key, [flag]]) => {
    const value = flag.startsWith('--no-') ? values[key] === false || undefined : values[key]
    return [flag.replace(/ .*/, ''), Array.isArray(value) ? [...new Set(value)].sort() : value] as const
  })
  return Object.fromEntries(given.filter(([, value]) => value !== undefined))
}

/** The calls that a check expects if nobody says others. */
export const defaultExpected: readonly ExpectableCall[] = ['ready', 'connected', 'disconnected']

function list(isRight: (text: string) => boolean, expected: string) {
  return (text: string, before: readonly string[] = []): readonly string[] => {
    const values = anyList(text)
    if (values.length > 0 && values.every(isRight)) return [...before, ...values]
    throw new InvalidArgumentError(`Expected ${expected}.`)
  }
}

function listOf<Name extends string>(names: readonly Name[], expected = names.join(', ')) {
  return (text: string, before: readonly Name[] = []): readonly Name[] => {
    const given = anyList(text)
    const found = names.filter(name => given.includes(name))
    const wrong = given.find(word => !names.some(name => name === word))
    if (given.length > 0 && wrong === undefined) return [...new Set([...before, ...found])]
    const near = nearest(wrong ?? '', names)
    throw new InvalidArgumentError(`Expected ${expected}.${near === undefined ? '' : ` Did you mean ${near}?`}`)
  }
}

function anyList(text: string, before: readonly string[] = []): readonly string[] {
  const values = text.split(',').map(value => value.trim())
  return [...before, ...values.filter(value => value !== '')]
}

function parseOrigins(text: string, before?: readonly string[]): readonly string[] {
  refuseCredentials(text)
  const origins = anyList(text, before)
  if (origins.every(isOrigin)) return origins
  throw new InvalidArgumentError('Expected an origin such as https://game.example, or null.')
}

function parseSession(text: string): number {
  const ms = parseDuration(text)
  if (ms !== undefined && ms >= shortestStayMs && ms <= sessionLimits.max) return ms
  throw new InvalidArgumentError('Expected a duration from 1s to 7d.')
}

export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return text => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= least && value <= most) return value
    const range = most === Number.MAX_SAFE_INTEGER ? `, ${least} or more` : ` from ${least} to ${most}`
    throw new InvalidArgumentError(`Expected a whole number${range}.`)
  }
}

function parsePort(text: string): number {
  return wholeNumber(0, 65_535)(text)
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

/** Also takes an IPv6 address as URLs have it. */
function parseHost(text: string): string {
  const host = text.trim().replace(/^\[(.*)\]$/, '$1')
  if (isIPv6(host) || /^[^\s:/]+$/.test(host)) return host
  throw new InvalidArgumentError('Expected an address or a name without a port, such as 0.0.0.0 or ::1.')
}

/** Refuses the empty text that an unset variable of the shell makes. */
function notBlank(expected: string): (text: string) => string {
  return text => {
    if (text.trim() === '') throw new InvalidArgumentError(`Expected ${expected}.`)
    return text
  }
}

/** Throws no `InvalidArgumentError`: commander would print the password. */
function refuseCredentials(text: string): void {
  if (redactCredentials(text) !== text)
    throw new UsageError(`leave the user and the password out of ${redactCredentials(text)}`)
}

function parsePublicUrl(text: string): string {
  refuseCredentials(text)
  const url = /^https?:\/\/[^?#@]+$/i.test(text) ? parseUrl(text) : undefined
  if (url && splitWorldUrl(text)?.encodedId === undefined) return text.replace(/\/+$/, '')
  throw new InvalidArgumentError('Expected a URL without a query and without a world, such as https://mock.example.')
}

function parseAdvertised(text: string): string {
  refuseCredentials(text)
  const url = parseUrl(text)
  if (url && /^http:\/\/[^/?#@]+\/*$/i.test(text)) return url.origin
  throw new InvalidArgumentError('Expected a URL without a path, such as http://10.0.0.5:4100.')
}

function parseMockUrl(text: string): string {
  refuseCredentials(text)
  if (!/^https?:\/\//i.test(text) || !parseUrl(text))
    throw new InvalidArgumentError('Expected a URL, as in http://127.0.0.1:4100.')
  return text.replace(/\/+$/, '')
}

/** Throws no `InvalidArgumentError`: commander would print the token. */
function parseControlToken(text: string): string {
  return checkControlToken(text, 'the control token')
}
