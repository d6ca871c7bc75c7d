// The address of what the page shows. It is in the query of the URL, so that a link opens the same.

/** The views in the header, and the parts of the world that a phone shows by themselves. */
export const viewNames = ['world', 'players', 'servers', 'warnings', 'faults', 'devices', 'requests', 'time'] as const
export type ViewName = (typeof viewNames)[number]

/** The thing that the details show. */
export type Opened =
  | { readonly kind: 'request'; readonly id: number }
  | { readonly kind: 'held' | 'lobby' | 'player' | 'server'; readonly id: string }

/** A moment of the past: a revision, or a time of the world's clock such as `20:04:46.112`. */
export type Moment = { readonly revision: number } | { readonly time: string }

/** The lobbies of the list. */
const lobbyFilters = ['running', 'free', 'hidden', 'stopped'] as const
export type LobbyFilter = (typeof lobbyFilters)[number]

/** The parts of an address. A part that is absent has its default. */
export interface Address {
  readonly view: ViewName
  readonly opened?: Opened | undefined
  /** Absent: the present. */
  readonly at?: Moment | undefined
  /** The key of a game mode. */
  readonly mode?: string | undefined
  readonly region?: string | undefined
  readonly lobbies: LobbyFilter
  /** The text that filters the list of the view. */
  readonly q?: string | undefined
  /** A column, with `-` before it for the descending order. */
  readonly sort?: string | undefined
  /** The operation of the requests. */
  readonly operation?: string | undefined
  /** Only requests that failed. */
  readonly errors: boolean
}

/** Reads an address from the query of a URL. A part that is not valid has its default. */
export function parseAddress(search: string): Address {
  const query = new URLSearchParams(search)
  const text = (name: string) => query.get(name) || undefined
  return {
    view: oneOf(viewNames, text('view')) ?? 'world',
    opened: openedIn(text),
    at: momentIn(text('at')),
    mode: text('mode'),
    region: text('region'),
    lobbies: oneOf(lobbyFilters, text('lobbies')) ?? 'running',
    q: text('q'),
    sort: text('sort'),
    operation: text('operation'),
    errors: query.has('errors'),
  }
}

/** Writes the query of an address, without what is the default: `?request=12`, or nothing. */
export function printAddress({ view, opened, at, lobbies, errors, ...texts }: Address): string {
  const { mode, region, q, sort, operation } = texts
  const parts: readonly (readonly [name: string, value: string | number | undefined])[] = [
    ['view', view === 'world' ? undefined : view],
    [opened?.kind ?? '', opened?.id],
    ['at', at && ('time' in at ? at.time : `change:${at.revision}`)],
    ['mode', mode],
    ['region', region],
    ['lobbies', lobbies === 'running' ? undefined : lobbies],
    ['q', q],
    ['sort', sort],
    ['operation', operation],
  ]
  const printed = parts.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encoded(value)}`]))
  if (errors) printed.push('errors')
  return printed.length === 0 ? '' : `?${printed.join('&')}`
}

/** Encodes a value. Colons, slashes and commas stay as they are, because a query may have them. */
function encoded(value: string | number): string {
  return encodeURIComponent(value).replaceAll(/%(3A|2F|2C)/g, decodeURIComponent)
}

function oneOf<Name extends string>(names: readonly Name[], text: string | undefined): Name | undefined {
  return names.find(name => name === text)
}

function openedIn(text: (name: string) => string | undefined): Opened | undefined {
  const request = wholeNumber(text('request'))
  if (request !== undefined) return { kind: 'request', id: request }
  for (const kind of ['held', 'lobby', 'player', 'server'] as const) {
    const id = text(kind)
    if (id !== undefined) return { kind, id }
  }
  return undefined
}

function momentIn(text: string | undefined): Moment | undefined {
  if (text === undefined) return undefined
  const revision = wholeNumber(/^change:(.*)$/.exec(text)?.[1])
  if (revision !== undefined) return { revision }
  return /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,3})?)?$/.test(text) ? { time: text } : undefined
}

/** Reads a whole number from 0 without zeros before it. */
function wholeNumber(text: string | undefined): number | undefined {
  if (text === undefined || !/^(0|[1-9]\d*)$/.test(text)) return undefined
  return Number.isSafeInteger(Number(text)) ? Number(text) : undefined
}
