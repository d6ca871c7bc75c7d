import { uint32Max } from '../contract/formats.js'
import { hasOwnMessage, type Issue, type Path, valueAt } from '../lib/issues.js'
import { isJsonObject } from '../lib/json.js'
import { quoted, scenarioFile } from '../lib/messages.js'
import { longestMs } from '../lib/time.js'
import { maxRate } from '../store/clock.js'
import { GameTokensInput, NamespaceTokensInput } from '../store/inputs.js'
import { mostConcurrent, sessionLimits } from '../store/matchmaker-rows.js'
import { GameEntry, generatedMax, namespaceKeys } from './entries.js'

type Hints = Readonly<Record<string, string>>

const inNamespace: Hints = {
  token: 'tokens: { public: … }',
  public_token: 'tokens: { public: … }',
  ports: 'development: { lobby_ports: … }',
  hostname: 'development: { hostname: … }',
  max_lobbies: 'matchmaker: { lobby_count_max: … }',
  max_players: 'matchmaker: { max_players_per_client: … } for players from one address, or max_players in a game mode',
  bots: 'players',
  simulation: 'players',
}
const coordinates: Hints = { lat: 'latitude', lon: 'longitude', lng: 'longitude' }
const port: Hints = { id: 'label', name: 'label', port: 'target_port' }

/** The right keys for common wrong ones that no spelling suggests, by the kind of entry: see `placeOf`. */
export const hints: Readonly<Record<string, Hints>> = {
  scenario: {
    ...inNamespace,
    name: 'title',
    time: 'now',
    speed: 'clock: { rate: … }',
    frozen: 'clock: frozen',
    location: 'client',
    namespaces: 'games: [{ namespaces: … }]',
    game: 'games: [{ name_id: … }]',
    errors: 'faults',
  },
  game: { id: 'game_id', name: 'name_id', title: 'display_name', token: 'tokens: { cloud: … }' },
  namespace: { ...inNamespace, id: 'namespace_id', name: 'name_id', title: 'display_name' },
  regions: { id: 'region_id', name: 'region_display_name', location: 'datacenter_coord' },
  client: coordinates,
  'regions.datacenter_coord': coordinates,
  game_modes: {
    id: 'game_mode_id',
    name: 'game_mode_id',
    size: 'max_players',
    players: 'max_players',
    hidden: 'listable',
  },
  lobbies: {
    id: 'lobby_id',
    size: 'max_players',
    private: 'publicity: private',
    visibility: 'publicity',
    open: 'is_closed',
    data: 'state',
    name: 'state: { name: … }',
    map: 'state: { map: … }',
    server: 'run_by',
    ready: 'status: ready',
  },
  'lobbies.players': { id: 'token', ip: 'address' },
  'development.lobby_ports': port,
  'game_modes.ports.lobby_ports': port,
  'development.default': { port: 'target_port' },
  'game_modes.ports.default': { port: 'target_port' },
  players: { count: 'concurrent', duration: 'session' },
  clock: { speed: 'rate' },
  device_links: { id: 'device_link_id', expires: 'expires_after', completes: 'completes_after' },
  bearer_tokens: { id: 'token', value: 'token', type: 'kind' },
  faults: {
    path: 'operation',
    delay: 'effect: { delay: … }',
    error: 'effect: { error: … }',
    status: 'effect: { error: { status: … } }',
    count: 'times',
    probability: 'chance',
    rate: 'chance',
    duration: 'for',
  },
  'faults.effect': { latency: 'delay', status: 'error: { status: … }', code: 'error: { code: … }' },
}

/** Returns advice on an unknown key: `write lobby_id`. `undefined` if the key is no common mistake. */
export function keyAdvice(path: Path): string | undefined {
  const { kind, key } = placeOf(path)
  const own = Object.hasOwn(hints, kind) ? hints[kind] : undefined
  if (own && Object.hasOwn(own, key)) return `write ${own[key]}`
  if (kind === 'game' && Object.hasOwn(namespaceKeys, key)) return inNamespaces(`${key}: …`)
  if (kind === 'games.tokens' && Object.hasOwn(NamespaceTokensInput.shape, key))
    return inNamespaces(`tokens: { ${key}: … }`)
  if (kind === 'scenario' && Object.hasOwn(GameEntry.shape, key)) return inGames(`${key}: …`)
  if (kind === 'tokens' && Object.hasOwn(GameTokensInput.shape, key)) return inGames(`tokens: { ${key}: … }`)
  return undefined
}

const inNamespaces = (text: string) => `it belongs to a namespace, as in namespaces: [{ ${text} }]`

/** Also shows the place of keys at the top of the scenario, which may not stand beside `games`. */
const inGames = (text: string) => `it belongs to a game, as in games: [{ ${text}, namespaces: [{ game_modes: … }] }]`

function placeOf(path: Path): { readonly kind: string; readonly key: string } {
  const keys = path.filter(key => typeof key !== 'number').map(String)
  const key = keys.pop() ?? ''
  const isNested = keys[0] === 'games' && keys[1] === 'namespaces'
  const kind = (isNested ? keys.slice(2) : keys).join('.')
  if (kind === '') return { kind: isNested ? 'namespace' : 'scenario', key }
  return { kind: kind === 'games' ? 'game' : kind, key }
}

/** The advice for a number in the place of an object or a text, by key. */
const forNumber: Readonly<Record<string, (value: number, kind: string) => string>> = {
  players: (value, kind) =>
    kind === 'lobbies'
      ? `total_player_count: ${wholeWithin(value, 0, uint32Max)}; players lists players who can be told apart`
      : `players: { concurrent: ${wholeWithin(value, 0, mostConcurrent)} }`,
  generate: value => `generate: { lobbies: ${wholeWithin(value, 0, generatedMax)} }`,
  clock: value => (value > 0 ? `clock: { rate: ${Math.min(value, maxRate)} }` : 'clock: frozen'),
  delay: value => `delay: ${wholeWithin(value, 0, longestMs)}ms`,
  session: value => `session: ${wholeWithin(value, 1, sessionLimits.max / 60_000)}m`,
  expires_after: value => `expires_after: ${wholeWithin(value, 0, longestMs / 1000)}s`,
  completes_after: value => `completes_after: ${wholeWithin(value, 0, longestMs / 1000)}s`,
}

/** Returns the nearest value that the key accepts, because advice must not lead to another error. */
function wholeWithin(value: number, least: number, most: number): number {
  return Math.round(Math.min(Math.max(value, least), most))
}

/** Returns advice on a wrong value, for the end of a message: `. Write players: { concurrent: 7 }.` Empty if there is none. */
export function valueAdvice(issue: Issue, input: unknown): string {
  const value = valueAt(input, issue.path)
  const { kind, key } = placeOf(issue.path)
  // An entry of a list has no key of its own.
  if (value === undefined || typeof issue.path.at(-1) !== 'string') return ''
  const own =
    typeof value === 'number' && !Number.isNaN(value) && Object.hasOwn(forNumber, key)
      ? forNumber[key]?.(value, kind)
      : undefined
  const advice = own ?? typeAdvice(issue, key, value)
  return advice === undefined ? '' : `. Write ${advice}.`
}

/** In characters. */
const longestAdvised = 60

function typeAdvice(issue: Issue, key: string, value: unknown): string | undefined {
  if (issue.code !== 'invalid_type' || typeof value === 'object') return undefined
  // A text of a certain form, such as a duration, is not the number in quotes.
  const isAnyText = issue.expected === 'string' && !hasOwnMessage(issue)
  if (typeof value === 'number') return isAnyText ? `${key}: "${value}"` : undefined
  // A long text in advice hides the message.
  if (typeof value !== 'string' || value.length > longestAdvised) return undefined
  if (issue.expected === 'array') return `${key}: [${/^[A-Za-z][\w./-]*$/.test(value) ? value : quoted(value)}]`
  const [isYes, isNo] = [/^(yes|on|true)$/i.test(value), /^(no|off|false)$/i.test(value)]
  if (issue.expected === 'boolean') return isYes || isNo ? `${key}: ${isYes}` : undefined
  const isNumber = value.trim() !== '' && Math.abs(Number(value)) <= Number.MAX_SAFE_INTEGER
  return isNumber && ['number', 'int'].includes(issue.expected) ? `${key}: ${Number(value)}` : undefined
}

/** The top keys of a version config, the file with which the service deploys a game. */
export const versionConfigKeys: readonly string[] = ['cdn', 'engine', 'identity', 'kv', 'matchmaker', 'scripts']

const versionKeys = [
  'game_modes',
  'lobby_groups',
  'docker',
  'regions',
  'tier',
  'idle_lobbies',
  'captcha',
  'dev_hostname',
]

function isVersionConfig(input: unknown): boolean {
  if (!isJsonObject(input)) return false
  const { matchmaker, $schema: _, ...others } = input
  if (isJsonObject(matchmaker) && versionKeys.some(key => Object.hasOwn(matchmaker, key))) return true
  const keys = Object.keys(others)
  return keys.length > 0 && keys.every(key => versionConfigKeys.includes(key))
}

const keys = versionConfigKeys.join('|')

/** A table or a key of TOML. No valid YAML has them at the begin of a line. */
const lineOfToml = new RegExp(
  `^\\uFEFF?(?:\\[{1,2}[ \\t]*["']?(?:${keys})["']?[ \\t]*[.\\]]|["']?(?:${keys})["']?[ \\t]*(?:\\.[^\\n=]*)?=)`,
  'm',
)

/** Tells whether a text is a version config in TOML. */
export function isTomlConfig(text: string): boolean {
  return lineOfToml.test(text)
}

/** Says what to do with a version config in the place of a scenario. */
export const versionConfigText = (file: string | undefined): string =>
  importText('a version config of the service', file, 'rivet.yaml')

/** Says what an input is that `import` makes a scenario from. Returns `undefined` for all others. */
export function importedText(input: unknown, file: string | undefined): string | undefined {
  if (isVersionConfig(input)) return versionConfigText(file)
  const { log } = isJsonObject(input) ? input : {}
  return isJsonObject(log) && Array.isArray(log.entries)
    ? importText('an HTTP Archive', file, 'recorded.har')
    : undefined
}

function importText(kind: string, file: string | undefined, example: string): string {
  return `${file ?? 'the scenario'} is ${kind}: mockmaker import ${file ?? example} -o ${scenarioFile} writes a scenario from it`
}
