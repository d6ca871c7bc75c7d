import type { Expectation } from '../contract/expectation.js'
import type { Fault, FaultState } from '../contract/fault.js'
import type { JournalEntry } from '../contract/journal.js'
import type { JournalFilter } from '../contract/journal-filter.js'
import type { ChangesOptions, MockEvent } from '../control/changes.js'
import type { WorldDescription, WorldSummary } from '../control/description.js'
import type { Explanation, Question } from '../control/explanation.js'
import type { CompletionOptions, NewWorldOptions, SnapshotOptions, SteeringResetOptions } from '../control/steering.js'
import type { ScenarioInput } from '../scenario/schema.js'
import type { Verification } from '../server/verify.js'
import type { ClockMode, ClockSetting } from '../store/clock-setting.js'
import type { Inputs, Rows } from '../store/rows.js'
import type { TokenInfo } from '../store/token-info.js'
import { ClientError, call, type Remote } from './call.js'
import { readChanges } from './changes.js'
import { type ClientTable, createTable, undefinedIfMissing } from './table.js'

/** How a mock is reached. */
export interface ClientOptions {
  /** The world to begin with. Default: the one of the URL. */
  readonly world?: string | undefined
  /** Default: the global one, when it is called. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** The time of a world. */
export interface ClockState {
  readonly mode: ClockMode
  readonly rate: number
  /** As in ISO 8601. */
  readonly now: string
}

/** Whether a server answers, and how much is in it. */
export interface Health {
  readonly status: 'ok'
  readonly version: string
  readonly uptime_ms: number
  /** How many worlds there are. */
  readonly worlds: number
  /** How many requests are blocked on a watch index, in all of them. */
  readonly waiters: number
}

/** A world from outside: its tables, and its time. */
export interface ClientWorld {
  readonly games: ClientTable<Rows['games'], Inputs['games']>
  readonly namespaces: ClientTable<Rows['namespaces'], Inputs['namespaces']>
  readonly gameModes: ClientTable<Rows['gameModes'], Inputs['gameModes']>
  readonly regions: ClientTable<Rows['regions'], Inputs['regions']>
  readonly lobbies: ClientTable<Rows['lobbies'], Inputs['lobbies']>
  readonly deviceLinks: ClientTable<Rows['deviceLinks'], Inputs['deviceLinks']>
  readonly tokens: ClientTable<Rows['tokens'], Inputs['tokens']>
  readonly clock: {
    get(): Promise<ClockState>
    /** Has the time run or stand still, faster or slower, and go forward. */
    set(setting: ClockSetting): Promise<ClockState>
    /** Moves the time forward, by ms or by a duration such as `40s`. */
    advance(by: number | string): Promise<ClockState>
  }
  /** What it is, how far it is, and what is in it. */
  describe(): Promise<WorldDescription>
}

/**
 * One world of a mock that runs elsewhere, and the other worlds of its server: what steers a Mockmaker in-process, by the
 * same names. Every call rejects with `ClientError` where the mock refuses it, or none answers.
 */
export interface Client {
  /** What the world is called. */
  readonly id: string
  /** Where the world answers: the base URL for a game's client. Without a slash at its end. */
  readonly url: string
  readonly world: ClientWorld
  readonly faults: {
    list(): Promise<FaultState[]>
    add(fault: Fault): Promise<FaultState>
    /** Takes a fault away; `false` where there is none. */
    remove(id: string): Promise<boolean>
    clear(): Promise<void>
    /** Lets go what a fault holds or delays; `undefined` where there is no such fault. */
    release(id: string): Promise<number | undefined>
  }
  readonly journal: {
    find(filter?: JournalFilter): Promise<JournalEntry[]>
    /** Whether the exchanges are as expected; where they are not, why, and what came nearest. */
    verify(expectation: Expectation): Promise<Verification>
    clear(): Promise<void>
  }
  readonly worlds: {
    list(): Promise<WorldSummary[]>
    get(id: string): Promise<Client | undefined>
    /** Makes a world, or has the one of that id begin anew. */
    put(id: string, options?: NewWorldOptions): Promise<Client>
    /** Takes a world away; `false` where there is none. */
    delete(id: string): Promise<boolean>
  }
  health(): Promise<Health>
  /** The tokens of the world, and whose they are. */
  tokens(): Promise<(TokenInfo & Rows['tokens'])[]>
  /** The names of the scenarios that can be loaded. */
  scenarios(): Promise<string[]>
  reset(options?: SteeringResetOptions): Promise<void>
  /** Changes over to another scenario: the name of one on hand, or one in the fixture format. */
  load(scenario: string | ScenarioInput): Promise<void>
  /** The whole world, in the fixture format. */
  snapshot(options?: SnapshotOptions): Promise<ScenarioInput>
  /** Puts a snapshot back: every answer is as it was, but for watch indexes, which rise. */
  restore(snapshot: ScenarioInput): Promise<void>
  completeDeviceLink(token: string, options?: CompletionOptions): Promise<void>
  expireDeviceLink(token: string): Promise<void>
  /** Why a lobby is not listed, a request is answered as it is, or a name does not pass. */
  explain(question: Question): Promise<Explanation>
  /** Change sets and exchanges as they happen, from when the promise resolves. */
  changes(options?: ChangesOptions): Promise<AsyncGenerator<MockEvent, undefined>>
}

/** The client of a mock at a URL, as `http://127.0.0.1:4100`; with a world in it, `…/w/test-42`, of that world. */
export function createClient(url: string, options: ClientOptions = {}): Client {
  const [, server, , id = defaultId] = /^(https?:\/\/[^/].*?)(\/w\/([^/]+))?\/*$/i.exec(url) ?? []
  if (server === undefined)
    throw new ClientError(`url is ${JSON.stringify(url)}: expected http://127.0.0.1:4100, or …/w/test-42`, {
      status: 0,
      code: 'MISUSED',
    })
  const fetch: typeof globalThis.fetch = (...request) => (options.fetch ?? globalThis.fetch)(...request)
  return clientOf(options.world ?? decodeURIComponent(id), { url: server, fetch })
}

/** What the world is called that is meant where a URL names none. */
const defaultId = 'default'

function clientOf(id: string, server: Remote): Client {
  const url = id === defaultId ? server.url : `${server.url}/w/${encodeURIComponent(id)}`
  const remote = { ...server, url }
  const client = (id: string) => clientOf(id, server)
  const world = (id: string) => `/worlds/${encodeURIComponent(id)}`
  const fault = (id: string) => `/faults/${encodeURIComponent(id)}`
  const link = (token: string, verb: 'complete' | 'expire') => `/device-links/${encodeURIComponent(token)}/${verb}`
  // What a mock answers is what its table of calls has them answer.
  const get = <T>(path: string, query = {}) => call(remote, { method: 'GET', path, query }) as Promise<T>
  const send = async (method: 'POST' | 'PUT' | 'DELETE', path: string, body: object = {}) => {
    await call(remote, { method, path, body })
  }
  return {
    id,
    url,
    world: worldOf(remote),
    faults: {
      list: async () => (await get<{ faults: FaultState[] }>('/faults')).faults,
      add: fault => call(remote, { method: 'POST', path: '/faults', body: fault }) as Promise<FaultState>,
      remove: id => gone(send('DELETE', fault(id))),
      clear: () => send('DELETE', '/faults'),
      release: id =>
        call(remote, { method: 'POST', path: `${fault(id)}/release` }).then(
          answer => (answer as { released: number }).released,
          undefinedIfMissing,
        ),
    },
    journal: {
      find: async (filter = {}) => (await get<{ exchanges: JournalEntry[] }>('/journal', filter)).exchanges,
      verify: expectation =>
        call(remote, { method: 'POST', path: '/journal/verify', body: expectation }) as Promise<Verification>,
      clear: () => send('DELETE', '/journal'),
    },
    worlds: {
      list: async () => (await get<{ worlds: WorldSummary[] }>('/worlds')).worlds,
      get: id => get(world(id)).then(() => client(id), undefinedIfMissing),
      put: (id, options) => send('PUT', world(id), options).then(() => client(id)),
      delete: id => gone(send('DELETE', world(id))),
    },
    health: () => get('/health'),
    tokens: async () => (await get<{ tokens: never }>('/tokens')).tokens,
    scenarios: async () => (await get<{ scenarios: string[] }>('/scenarios')).scenarios,
    reset: options => send('POST', '/reset', options),
    load: scenario => send('PUT', '/scenario', typeof scenario === 'string' ? { name: scenario } : { scenario }),
    snapshot: ({ with: also } = {}) => get('/snapshot', { with: also?.join(',') || undefined }),
    restore: snapshot => send('PUT', '/snapshot', snapshot),
    completeDeviceLink: (token, options) => send('POST', link(token, 'complete'), options),
    expireDeviceLink: token => send('POST', link(token, 'expire')),
    explain: question => get('/explain', question),
    changes: options => readChanges(remote, options),
  }
}

/** Whether something was there to be taken away. */
function gone(deleted: Promise<void>): Promise<boolean> {
  return deleted.then(
    () => true,
    error => undefinedIfMissing(error) ?? false,
  )
}

function worldOf(remote: Remote): ClientWorld {
  const clock = (method: 'GET' | 'PUT' | 'POST', path: string, body?: object) =>
    call(remote, { method, path, body }) as Promise<ClockState>
  return {
    games: createTable(remote, 'games'),
    namespaces: createTable(remote, 'namespaces'),
    gameModes: createTable(remote, 'game-modes'),
    regions: createTable(remote, 'regions'),
    lobbies: createTable(remote, 'lobbies'),
    deviceLinks: createTable(remote, 'device-links'),
    tokens: createTable(remote, 'tokens'),
    clock: {
      get: () => clock('GET', '/clock'),
      set: setting => clock('PUT', '/clock', setting),
      advance: by => clock('POST', '/clock/advance', { by }),
    },
    describe: () => call(remote, { method: 'GET', path: '/world' }) as Promise<WorldDescription>,
  }
}
