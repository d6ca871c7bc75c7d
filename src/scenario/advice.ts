import { isIdentifier } from '../contract/formats.js'
import { type Issue, type Path, valueAt } from '../lib/issues.js'
import { quoted } from '../lib/text.js'
import { namespaceKeys } from './entries.js'

/** The right key, or a function that writes the right key and value. */
type Correction = string | ((value: unknown) => string | undefined)

type Corrections = Readonly<Record<string, Correction>>

/** Returns advice on an unknown key: `write lobby_id`. `undefined` if the key is no common mistake. */
export function keyAdvice(path: Path, input: unknown): string | undefined {
  const { kind, key } = placeOf(path)
  const correction = correctionAt(path)
  if (typeof correction === 'string') return `write ${correction}`
  const advice = correction?.(valueAt(input, path))
  if (advice !== undefined) return `write ${advice}`
  if (kind !== 'game' || !Object.hasOwn(namespaceKeys, key)) return undefined
  return `it belongs to a namespace, as in namespaces: [{ ${key}: … }]`
}

/** Returns the right key for a common mistake, if it is a key of the same entry. */
export function rightKey(path: Path): string | undefined {
  const correction = correctionAt(path)
  return typeof correction === 'string' ? correction : undefined
}

function correctionAt(path: Path): Correction | undefined {
  const { kind, key } = placeOf(path)
  const own = Object.hasOwn(corrections, kind) ? corrections[kind] : undefined
  return own && Object.hasOwn(own, key) ? own[key] : undefined
}

/** Returns advice on a wrong value, for the end of a message: `. Write players: { concurrent: 7 }.` Empty if there is none. */
export function valueAdvice(issue: Issue, input: unknown): string {
  const value = valueAt(input, issue.path)
  if (value === undefined) return ''
  const { kind, key } = placeOf(issue.path)
  const values = Object.hasOwn(wrongValues, kind) ? wrongValues[kind] : undefined
  const own = values && Object.hasOwn(values, key) ? values[key] : undefined
  const advice = own?.(value) ?? generalAdvice(issue, value)
  return advice === undefined ? '' : `. Write ${advice}.`
}

/**
 * Returns the last key of a path, and the kind of its entry: `scenario`, `game`, `namespace`, or the keys below them, as in
 * `lobbies.players`.
 */
function placeOf(path: Path): { readonly kind: string; readonly key: string } {
  const keys = path.filter(key => typeof key !== 'number').map(String)
  // An entry of a list has no key of its own.
  const key = typeof path.at(-1) === 'number' ? '' : (keys.pop() ?? '')
  const [first, second, ...others] = keys
  if (first === undefined) return { kind: 'scenario', key }
  if (first !== 'games') return { kind: keys.join('.'), key }
  if (second === undefined) return { kind: 'game', key }
  if (second !== 'namespaces') return { kind: keys.join('.'), key }
  return { kind: others.length === 0 ? 'namespace' : others.join('.'), key }
}

/** Writes plain words without quotes, as in YAML, and other values as JSON. */
function shown(value: unknown): string {
  return typeof value === 'string' && /^[A-Za-z][\w./-]*$/.test(value) ? value : quoted(value)
}

const inKey = (name: string) => (value: unknown) => `${name}: ${shown(value)}`
const nested =
  (...names: readonly string[]) =>
  (value: unknown) =>
    names.toReversed().reduce((inner, name, i) => `${name}: ${i === 0 ? inner : `{ ${inner} }`}`, shown(value))
const inList = (name: string) => (value: unknown) =>
  Array.isArray(value) ? name : `${name}: [${typeof value === 'object' ? '…' : shown(value)}]`
/** Corrects a key whose value is true or false. */
const either =
  (yes: string, no: string): Correction =>
  value =>
    typeof value === 'boolean' ? (value ? yes : no) : yes.replace(/:.*/, '')
/** Corrects a name: an identifier is `name_id`, another text is `display_name`. */
const name: Correction = value =>
  typeof value === 'string' && isIdentifier(value) ? `name_id: ${value}` : `display_name: ${shown(value)}`

const maxPlayers = {
  max: 'max_players',
  size: 'max_players',
  capacity: 'max_players',
  max_players_normal: nested('max_players', 'normal'),
  max_players_direct: nested('max_players', 'direct'),
  max_players_party: nested('max_players', 'party'),
} satisfies Corrections

const coordinates = {
  lat: 'latitude',
  lon: 'longitude',
  lng: 'longitude',
  long: 'longitude',
} satisfies Corrections

const serverPorts = { host: 'hostname', ports: 'lobby_ports' } satisfies Corrections

const lobbyPort = {
  id: 'label',
  name: 'label',
  port: 'target_port',
  protocol: 'proxy_protocol',
  range: 'port_range',
} satisfies Corrections

const inNamespace = {
  id: 'namespace_id',
  modes: 'game_modes',
  gamemodes: 'game_modes',
  mode: inList('game_modes'),
  game_mode: inList('game_modes'),
  lobby: 'lobbies',
  domain: inList('domains'),
  hosts: 'domains',
  token: value => (typeof value === 'string' ? nested('tokens', 'public')(value) : 'tokens'),
  public_token: nested('tokens', 'public'),
  development_token: nested('tokens', 'development'),
  ports: nested('development', 'lobby_ports'),
  lobby_ports: () => 'development: { lobby_ports: … }',
  hostname: nested('development', 'hostname'),
  lobby_count_max: nested('matchmaker', 'lobby_count_max'),
  max_lobbies: nested('matchmaker', 'lobby_count_max'),
  max_players: () => 'matchmaker: { max_players: … } for players from one address, or max_players in a game mode',
  simulation: 'players',
  bots: 'players',
  concurrent: nested('players', 'concurrent'),
  require_token: either('tokenless: false', 'tokenless: true'),
  version: 'version_id',
  created: 'created_at',
} satisfies Corrections

/** Common wrong keys, by the kind of entry. */
export const corrections: Readonly<Record<string, Corrections>> = {
  scenario: {
    ...inNamespace,
    name: 'title',
    summary: 'description',
    time: 'now',
    date: 'now',
    start: 'now',
    speed: nested('clock', 'rate'),
    rate: nested('clock', 'rate'),
    frozen: either('clock: frozen', 'clock: running'),
    location: 'client',
    position: 'client',
    latitude: nested('client', 'latitude'),
    longitude: nested('client', 'longitude'),
    region: inList('regions'),
    game: 'games',
    namespace: 'default_namespace',
    namespaces: () => 'games: [{ namespaces: … }]',
    links: 'device_links',
    devices: 'device_links',
    errors: 'faults',
    hide_empty: 'hide_empty_lobbies',
    server: 'servers',
    cdn: 'cdn_domain',
    schema: '$schema',
  },
  game: {
    id: 'game_id',
    name,
    title: 'display_name',
    namespace: 'namespaces',
    environments: 'namespaces',
    token: nested('tokens', 'cloud'),
    cloud_token: nested('tokens', 'cloud'),
    group: 'developer_group_id',
    group_id: 'developer_group_id',
    created: 'created_at',
  },
  'games.tokens': { token: 'cloud' },
  namespace: { ...inNamespace, name, title: 'display_name' },
  matchmaker: { max_lobbies: 'lobby_count_max', lobbies: 'lobby_count_max', players: 'max_players' },
  tokens: { dev: 'development' },
  regions: {
    id: 'region_id',
    name: 'region_display_name',
    display_name: 'region_display_name',
    provider: 'provider_display_name',
    coord: 'datacenter_coord',
    coords: 'datacenter_coord',
    coordinates: 'datacenter_coord',
    location: 'datacenter_coord',
    latitude: nested('datacenter_coord', 'latitude'),
    longitude: nested('datacenter_coord', 'longitude'),
  },
  client: coordinates,
  'regions.datacenter_coord': coordinates,
  game_modes: {
    ...maxPlayers,
    id: 'game_mode_id',
    name: 'game_mode_id',
    mode: 'game_mode_id',
    players: 'max_players',
    region: inList('regions'),
    hidden: either('listable: false', 'listable: true'),
    listed: 'listable',
    port: 'ports',
    lobby_ports: () => 'ports: { lobby_ports: … }',
  },
  lobbies: {
    ...maxPlayers,
    id: 'lobby_id',
    mode: 'game_mode_id',
    game_mode: 'game_mode_id',
    region: 'region_id',
    private: either('publicity: private', 'publicity: public'),
    public: either('publicity: public', 'publicity: private'),
    visibility: 'publicity',
    closed: 'is_closed',
    open: either('is_closed: false', 'is_closed: true'),
    count: 'total_player_count',
    player_count: 'total_player_count',
    players_count: 'total_player_count',
    current_players: 'total_player_count',
    config: 'lobby_config',
    data: 'state',
    metadata: 'state',
    name: nested('state', 'name'),
    map: nested('state', 'map'),
    server: 'run_by',
    ready: either('status: ready', 'status: starting'),
    stopped: either('status: stopped', 'status: ready'),
    tag: 'tags',
  },
  'lobbies.players': {
    id: 'token',
    player_id: 'token',
    player_token: 'token',
    ip: 'address',
    state: 'status',
    connected: either('status: connected', 'status: reserved'),
  },
  development: serverPorts,
  'development.lobby_ports': lobbyPort,
  'game_modes.ports': serverPorts,
  'game_modes.ports.lobby_ports': lobbyPort,
  'bearer_tokens.development': serverPorts,
  'bearer_tokens.development.lobby_ports': lobbyPort,
  players: { count: 'concurrent', max: 'concurrent', session_length: 'session', duration: 'session', weights: 'modes' },
  generate: { count: 'lobbies' },
  clock: { speed: 'rate' },
  device_links: {
    id: 'device_link_id',
    device_link_token: 'token',
    state: 'status',
    complete: either('status: complete', 'status: pending'),
    completed: either('status: complete', 'status: pending'),
    expires: 'expires_after',
    expires_in: 'expires_after',
    completes: 'completes_after',
    completes_in: 'completes_after',
    game_id: 'game',
  },
  bearer_tokens: {
    id: 'token',
    value: 'token',
    type: 'kind',
    namespace_id: 'namespace',
    game_id: 'game',
    expires: 'expires_at',
  },
  faults: {
    op: 'operation',
    path: 'operation',
    delay: nested('effect', 'delay'),
    error: () => 'effect: { error: … }',
    status: nested('effect', 'error', 'status'),
    code: nested('effect', 'error', 'code'),
    reset: () => 'effect: { reset: true }',
    empty: () => 'effect: { empty: true }',
    hold: () => 'effect: { hold: true }',
    spurious: nested('effect', 'spurious'),
    count: 'times',
    probability: 'chance',
    rate: 'chance',
    duration: 'for',
  },
  'faults.effect': {
    latency: 'delay',
    status: nested('error', 'status'),
    code: nested('error', 'code'),
    message: nested('error', 'message'),
  },
  'faults.effect.error': { error: 'code', status_code: 'status' },
}

type Advice = (value: unknown) => string | undefined

const forNumber =
  (advice: (value: number) => string): Advice =>
  value =>
    typeof value === 'number' ? advice(value) : undefined
/** Corrects a place that is a list, or a text with a comma. */
const toCoordinates =
  (key: string): Advice =>
  value => {
    const parts = typeof value === 'string' ? value.split(',') : value
    const [latitude, longitude, more] = Array.isArray(parts) ? parts.map(part => Number(part)) : []
    if (latitude === undefined || longitude === undefined || more !== undefined) return undefined
    return Number.isNaN(latitude + longitude) ? undefined : `${key}: { latitude: ${latitude}, longitude: ${longitude} }`
  }
const inUnits = (key: string, unit: string) => forNumber(value => `${key}: ${value}${unit}`)

/** Common wrong values of right keys, by the kind of entry. */
const wrongValues: Readonly<Record<string, Readonly<Record<string, Advice>>>> = {
  ...Object.fromEntries(
    ['scenario', 'namespace'].map(kind => [
      kind,
      {
        players: forNumber(value => `players: { concurrent: ${value} }`),
        generate: forNumber(value => `generate: { lobbies: ${value} }`),
        tokens: (value: unknown) => (typeof value === 'string' ? `tokens: { public: ${shown(value)} }` : undefined),
        clock: forNumber(value => `clock: { rate: ${value} }`),
        client: toCoordinates('client'),
      },
    ]),
  ),
  game: { tokens: value => (typeof value === 'string' ? `tokens: { cloud: ${shown(value)} }` : undefined) },
  regions: { datacenter_coord: toCoordinates('datacenter_coord') },
  game_modes: { disabled: value => (value === true ? 'disabled: [find, join, create]' : undefined) },
  lobbies: {
    players: forNumber(value => `total_player_count: ${value}; players lists players who can be told apart`),
    publicity: value => (typeof value === 'boolean' ? `publicity: ${value ? 'public' : 'private'}` : undefined),
  },
  players: { session: inUnits('session', 'm') },
  device_links: { completes_after: inUnits('completes_after', 's'), expires_after: inUnits('expires_after', 's') },
  'faults.effect': {
    delay: inUnits('delay', 'ms'),
    spurious: inUnits('spurious', 'ms'),
    error: value =>
      typeof value === 'number'
        ? `error: { status: ${value} }`
        : typeof value === 'string'
          ? nested('error', 'code')(value)
          : undefined,
  },
  faults: {
    for: inUnits('for', 's'),
    effect: value => (typeof value === 'string' ? `effect: { ${value}: true }` : undefined),
  },
}

const booleanWords: Readonly<Record<string, boolean>> = {
  yes: true,
  on: true,
  true: true,
  no: false,
  off: false,
  false: false,
}

/** Returns advice for any key: put lists in brackets and texts in quotes, but not numbers, true and false. */
function generalAdvice(issue: Issue, value: unknown): string | undefined {
  const key = issue.path.at(-1)
  if (issue.code !== 'invalid_type' || typeof key !== 'string') return undefined
  if (issue.expected === 'array') return typeof value === 'object' ? undefined : inList(key)(value)
  if (issue.expected === 'string') return typeof value === 'number' ? `${key}: "${value}"` : undefined
  if (typeof value !== 'string') return undefined
  if (issue.expected === 'boolean') {
    const word = value.toLowerCase()
    return Object.hasOwn(booleanWords, word) ? inKey(key)(booleanWords[word]) : undefined
  }
  const number = value.trim() === '' ? Number.NaN : Number(value)
  return ['number', 'int'].includes(issue.expected) && Number.isFinite(number) ? inKey(key)(number) : undefined
}
