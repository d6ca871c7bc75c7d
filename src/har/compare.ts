import { sameJson } from '../lib/json.js'
import { quoted, shortened } from '../lib/text.js'

/** How an answer differs. `missing`: only the recorded one has it. `extra`: only the mock's has it. */
type DriftKind = 'status' | 'code' | 'missing' | 'extra' | 'type' | 'value' | 'order'

/**
 * How sure it is that the mock differs from the service, and not the two worlds.
 * - `certain`: the forms differ
 * - `likely`: the values differ
 * - `possible`: other players of the service may be the reason
 */
export type Sureness = 'certain' | 'likely' | 'possible'

/** A difference between a recorded answer and that of the mock. */
export interface Drift {
  readonly kind: DriftKind
  /** Where in the answer: `lobbies[].state.map`. Empty for the status. */
  readonly path: string
  readonly sure: Sureness
  /** In words. */
  readonly recorded: string
  readonly mock: string
}

/** Fields whose values differ in every world, by their names. */
const mustDiffer: Readonly<Record<string, 'id' | 'token' | 'time' | 'index' | 'address'>> = {
  lobby_id: 'id',
  game_id: 'id',
  namespace_id: 'id',
  version_id: 'id',
  developer_group_id: 'id',
  device_link_id: 'id',
  identity_id: 'id',
  token: 'token',
  cloud_token: 'token',
  device_link_token: 'token',
  create_ts: 'time',
  index: 'index',
  hostname: 'address',
  host: 'address',
  port: 'address',
  port_range: 'address',
  device_link_url: 'address',
  hub: 'address',
  cdn: 'address',
  job: 'address',
  main: 'address',
  domains: 'address',
  cname_record: 'address',
}

/** Fields that other players of the service change. */
const ofOthers = new Set(['total_player_count', 'state'])

/** The fields that name the elements of a list. */
const keysOfElements = [
  'lobby_id',
  'namespace_id',
  'version_id',
  'region_name_id',
  'region_id',
  'game_mode_id',
  'label',
  'domain',
] as const

/** What a comparison needs to know, and what it learns. */
export interface Names {
  /** Returns the text that stands for a recorded one in the mock's world. */
  translate(recorded: string): string
  /** Notes that an id or a token of the mock stands for a recorded one. */
  learn(recorded: string, mock: string): void
  /** Makes a recorded text fit for the output. */
  show(recorded: string): string
  /** The request said where the client is. Without that, distances differ. */
  readonly hasPlace: boolean
}

/** Compares two answers of JSON. */
export function compareAnswers(recorded: unknown, mock: unknown, names: Names): Drift[] {
  return compare({ recorded, mock, path: '', name: '', sure: 'likely' }, names)
}

interface Pair {
  readonly recorded: unknown
  readonly mock: unknown
  readonly path: string
  /** The name of the field. */
  readonly name: string
  readonly sure: 'likely' | 'possible'
}

function compare(pair: Pair, names: Names): Drift[] {
  const { recorded, mock, path, name } = pair
  const sure = ofOthers.has(name) ? 'possible' : pair.sure
  const [type, mockType] = [typeText(recorded), typeText(mock)]
  if (type !== mockType)
    return [
      { kind: 'type', path, sure: pair.sure === 'possible' ? 'possible' : 'certain', recorded: type, mock: mockType },
    ]
  const differs = mustDiffer[name]
  if (differs !== undefined) {
    if (typeof recorded === 'string' && typeof mock === 'string' && differs !== 'index') names.learn(recorded, mock)
    return []
  }
  if (Array.isArray(recorded) && Array.isArray(mock)) return compareLists({ ...pair, recorded, mock, sure }, names)
  if (isObject(recorded) && isObject(mock)) return compareObjects({ ...pair, recorded, mock, sure }, names)
  if (!names.hasPlace && (name === 'kilometers' || name === 'miles')) return []
  const same = typeof recorded === 'string' ? names.translate(recorded) === mock : recorded === mock
  return same
    ? []
    : [{ kind: 'value', path, sure, recorded: shownValue(recorded, names), mock: shownValue(mock, names) }]
}

function compareObjects(
  { recorded, mock, path, sure }: Pair & { readonly recorded: object; readonly mock: object },
  names: Names,
): Drift[] {
  const [ours, theirs] = [new Map(Object.entries(mock)), new Map(Object.entries(recorded))]
  const formSure = sure === 'possible' ? sure : 'certain'
  const drifts: Drift[] = []
  for (const [name, value] of theirs) {
    const at = joined(path, names.show(name))
    const pair = { recorded: value, mock: ours.get(name), path: at, name, sure }
    if (ours.has(name)) drifts.push(...compare(pair, names))
    // The scenario has states only if a list has shown them.
    else
      drifts.push({
        kind: 'missing',
        path: at,
        sure: name === 'state' ? 'possible' : formSure,
        recorded: typeText(value),
        mock: 'absent',
      })
  }
  for (const [name, value] of ours)
    if (!theirs.has(name))
      drifts.push({
        kind: 'extra',
        path: joined(path, name),
        sure: name === 'state' ? 'possible' : formSure,
        recorded: 'absent',
        mock: typeText(value),
      })
  return drifts
}

function compareLists(
  {
    recorded,
    mock,
    path,
    name,
    sure,
  }: Pair & { readonly recorded: readonly unknown[]; readonly mock: readonly unknown[] },
  names: Names,
): Drift[] {
  const key = keysOfElements.find(key =>
    [...recorded, ...mock].every(one => isObject(one) && typeof one[key] === 'string'),
  )
  const at = `${path}[]`
  const inside = (one: unknown, other: unknown) =>
    compare({ recorded: one, mock: other, path: at, name: '', sure }, names)
  if (key === undefined || recorded.length + mock.length === 0) {
    const shared = recorded.slice(0, mock.length).flatMap((one, i) => inside(one, mock[i]))
    if (recorded.length === mock.length) return shared
    return [
      ...shared,
      { kind: 'value', path, sure, recorded: `${recorded.length} elements`, mock: `${mock.length} elements` },
    ]
  }
  const idOf = (one: unknown) => String((one as Record<string, unknown>)[key])
  const ours = new Map(mock.map(one => [idOf(one), one]))
  const ids = recorded.map(one => names.translate(idOf(one)))
  const common = ids.filter(id => ours.has(id))
  // Lobbies come and go by other players.
  const elementSure = name === 'lobbies' ? 'possible' : sure
  const element = (kind: 'missing' | 'extra', count: number): Drift[] =>
    count === 0
      ? []
      : [
          {
            kind,
            path: at,
            sure: elementSure,
            recorded: `${recorded.length} elements`,
            mock: `${mock.length} elements`,
          },
        ]
  return [
    ...recorded.flatMap((one, i) => (ours.has(ids[i] ?? '') ? inside(one, ours.get(ids[i] ?? '')) : [])),
    ...element('missing', ids.length - common.length),
    ...element('extra', mock.length - new Set(common).size),
    ...(sameJson(
      common,
      mock.map(idOf).filter(id => common.includes(id)),
    )
      ? []
      : [{ kind: 'order' as const, path, sure: 'possible' as const, recorded: `by ${key}`, mock: 'in another order' }]),
  ]
}

/** `value` of an enumeration, of a number, or of any JSON, in at most this many characters. */
const longestShown = 60

function shownValue(value: unknown, names: Names): string {
  return typeof value === 'string' ? quoted(shortened(names.show(value), longestShown)) : String(value)
}

function typeText(value: unknown): string {
  if (value === null) return 'null'
  if (value === undefined) return 'nothing'
  return Array.isArray(value)
    ? 'a list'
    : ({ string: 'a text', number: 'a number', boolean: 'a boolean' }[typeof value as string] ?? 'an object')
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function joined(path: string, name: string): string {
  const shown = shortened(name, longestShown)
  return path === '' ? shown : `${path}.${shown}`
}
