import { exactValue, sameJson } from '../../core/lib/json.js'
import { counted, quoted, shortened } from '../../core/lib/messages.js'

/** The kind of a difference. `missing`: only the recorded answer has it. `extra`: only the mock's has it. */
type DriftKind = 'status' | 'code' | 'missing' | 'extra' | 'type' | 'value' | 'order'

/**
 * The confidence that the mock causes the difference, and not the data of the two worlds.
 * - `certain`: the forms differ
 * - `likely`: the values differ
 * - `possible`: other players of the service may be the reason
 */
export type Sureness = 'certain' | 'likely' | 'possible'

/** A difference between a recorded answer and that of the mock. */
export interface Drift {
  readonly kind: DriftKind
  /** The place in the answer: `lobbies[].state.map`. Empty for the status. */
  readonly path: string
  readonly sure: Sureness
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
const ofOthers = new Set(['total_player_count', 'player_count', 'state', 'region'])

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

/** The ids, tokens and texts of both worlds. */
export interface Names {
  /** Returns the text that stands for a recorded one in the mock's world. */
  translate(recorded: string): string
  /** Notes that an id or a token of the mock stands for a recorded one. */
  learn(recorded: string, mock: string): void
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
    const isName = differs === 'id' || differs === 'token'
    if (isName && typeof recorded === 'string' && typeof mock === 'string') names.learn(recorded, mock)
    return []
  }
  if (Array.isArray(recorded) && Array.isArray(mock)) return compareLists({ ...pair, recorded, mock, sure }, names)
  if (isObject(recorded) && isObject(mock)) return compareObjects({ ...pair, recorded, mock, sure }, names)
  if (!names.hasPlace && (name === 'kilometers' || name === 'miles')) return []
  // A text with a secret in it is in the mock's world as it is shown.
  const isSame = (one: string) => names.translate(one) === mock || names.show(one) === mock
  if (typeof recorded === 'string' ? isSame(recorded) : recorded === mock) return []
  return [{ kind: 'value', path, sure, recorded: shownValue(recorded, names), mock: shownValue(mock, names) }]
}

function compareObjects(
  { recorded, mock, path, sure }: Pair & { readonly recorded: object; readonly mock: object },
  names: Names,
): Drift[] {
  const [theirs, ours] = [recorded, mock].map(
    object => new Map(Object.keys(object).map(name => [name, exactValue(object, name)])),
  ) as [Map<string, unknown>, Map<string, unknown>]
  const start = path === '' ? '' : `${path}.`
  const at = (name: string) => start + shortened(names.show(name), longestShown)
  // The scenario has states only if a list has shown them.
  const sureOf = (name: string) => (name === 'state' || sure === 'possible' ? 'possible' : 'certain')
  return [
    ...[...theirs].flatMap(([name, value]): Drift[] =>
      ours.has(name)
        ? compare({ recorded: value, mock: ours.get(name), path: at(name), name, sure }, names)
        : [{ kind: 'missing', path: at(name), sure: sureOf(name), recorded: typeText(value), mock: 'absent' }],
    ),
    ...[...ours].flatMap(([name, value]): Drift[] =>
      theirs.has(name)
        ? []
        : [{ kind: 'extra', path: at(name), sure: sureOf(name), recorded: 'absent', mock: typeText(value) }],
    ),
  ]
}

interface Lists extends Pair {
  readonly recorded: readonly unknown[]
  readonly mock: readonly unknown[]
}

/** The error of a validation that depends on names that no answer shows. */
const isTakenName = (error: unknown) => sameJson(Object(error).path, ['name-id', 'not-unique'])

function compareLists(lists: Lists, names: Names): Drift[] {
  const [recorded, mock] = [lists.recorded, lists.mock].map(list => list.filter(one => !isTakenName(one)))
  if (
    recorded &&
    mock &&
    lists.name === 'errors' &&
    recorded.length - mock.length !== lists.recorded.length - lists.mock.length
  ) {
    const has = (list: readonly unknown[]) => (list.some(isTakenName) ? 'name-id not-unique' : 'absent')
    const taken = { kind: 'value', path: lists.path, sure: 'possible' } as const
    return [
      { ...taken, recorded: has(lists.recorded), mock: has(lists.mock) },
      ...compareLists({ ...lists, recorded, mock }, names),
    ]
  }
  const all = [...lists.recorded, ...lists.mock]
  const key = keysOfElements.find(name => all.every(one => isObject(one) && typeof one[name] === 'string'))
  return key === undefined || all.length === 0 ? compareByPlace(lists, names) : compareById(lists, { key, names })
}

function compareByPlace({ recorded, mock, path, sure }: Lists, names: Names): Drift[] {
  const shared = recorded.slice(0, mock.length).flatMap((_, i) => {
    const [one, ours] = [exactValue(recorded, String(i)), exactValue(mock, String(i))]
    return compare({ recorded: one, mock: ours, path: `${path}[]`, name: '', sure }, names)
  })
  if (recorded.length === mock.length) return shared
  const text = ({ length }: readonly unknown[]) => counted(length, 'element', 'elements')
  return [...shared, { kind: 'value', path, sure, recorded: text(recorded), mock: text(mock) }]
}

function compareById(
  { recorded, mock, path, name, sure }: Lists,
  { key, names }: { readonly key: string; readonly names: Names },
): Drift[] {
  const idOf = (one: unknown) => String((one as Record<string, unknown>)[key])
  const theirs = new Map(recorded.map(one => [names.translate(idOf(one)), one]))
  const ours = new Map(mock.map(one => [idOf(one), one]))
  const common = [...theirs.keys()].filter(id => ours.has(id))
  // Lobbies come and go by other players.
  const element = { path: `${path}[]`, sure: name === 'lobbies' ? 'possible' : sure } as const
  const [missing, extra] = [theirs.size - common.length, ours.size - common.length]
  const inOrder = sameJson(
    common,
    [...ours.keys()].filter(id => theirs.has(id)),
  )
  return [
    ...common.flatMap(id =>
      compare({ recorded: theirs.get(id), mock: ours.get(id), path: element.path, name: '', sure }, names),
    ),
    ...(missing > 0
      ? [{ kind: 'missing', ...element, recorded: partOf(missing, theirs.size), mock: 'absent' } as const]
      : []),
    ...(extra > 0 ? [{ kind: 'extra', ...element, recorded: 'absent', mock: partOf(extra, ours.size) } as const] : []),
    ...(inOrder
      ? []
      : [{ kind: 'order', path, sure: 'possible', recorded: `by ${key}`, mock: 'in another order' } as const]),
  ]
}

function partOf(number: number, all: number): string {
  return `${number} of ${counted(all, 'element', 'elements')}`
}

const longestShown = 60 // characters

function shownValue(value: unknown, names: Names): string {
  return typeof value === 'string' ? quoted(shortened(names.show(value), longestShown)) : String(value)
}

function typeText(value: unknown): string {
  if (value === null) return 'null'
  if (value === undefined) return 'nothing'
  return Array.isArray(value)
    ? 'a list'
    : ({ string: 'a text', number: 'a number', bigint: 'a number', boolean: 'a boolean' }[typeof value as string] ??
        'an object')
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
