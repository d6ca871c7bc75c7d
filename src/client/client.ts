import type { FaultState, HeldRelease } from '../core/contract/faults.js'
import type { OperationPattern } from '../core/contract/journal.js'
import { decodeSegment, defaultWorldId, splitWorldUrl, worldId, worldPath } from '../core/contract/paths.js'
import type { Health } from '../core/control/api.js'
import type { Environment } from '../core/control/environment.js'
import type { ChangesOptions, MockEvent } from '../core/control/events.js'
import type { ClockJson } from '../core/control/history.js'
import { lobbyFields, type NewLobby } from '../core/control/new-rows.js'
import type { LobbyTokenInfo } from '../core/control/records.js'
import type { Stories } from '../core/control/stories/find-stories.js'
import type { Warnings } from '../core/control/warnings/warning.js'
import type {
  NewWorldOptions,
  ScenarioSummary,
  WorldControl,
  WorldDescription,
  WorldsControl,
} from '../core/control/world-control.js'
import { checkKeys, quoted } from '../core/lib/messages.js'
import { fetch as loadedFetch } from '../core/lib/real-globals.js'
import {
  delayed,
  type Failure,
  type FaultHandle,
  type FaultOfCall,
  type FaultOptions,
  failure,
  held,
} from '../core/pipeline/fault-calls.js'
import { type FaultDelayInput, withTextDurations } from '../core/pipeline/fault-input.js'
import type { Faults } from '../core/pipeline/faults.js'
import type { HeldRequests } from '../core/pipeline/held-requests.js'
import type { Journal } from '../core/pipeline/journal.js'
import { expectationOf, inArguments, JournalMismatch } from '../core/pipeline/journal-mismatch.js'
import type { Verification } from '../core/pipeline/verify.js'
import type { GameServerCalls } from '../core/simulation/servers.js'
import type { ClockSetting } from '../core/store/clock.js'
import type { LobbyRow } from '../core/store/matchmaker-rows.js'
import type { Rows } from '../core/store/rows.js'
import { tablesByPath } from '../core/store/table-names.js'
import type { TokenInfo } from '../core/store/tokens.js'
import { type Input, misuseError, send, textOf } from './call.js'
import {
  type ControlledRemote,
  checked,
  checkObject,
  readEvents,
  request,
  rewordedCall,
  undefinedIfMissing,
  waitFor,
  withoutCreated,
} from './http.js'
import { type ClientTables, createTable } from './table.js'

/** Options of a client. */
export interface ClientOptions {
  /** The id of the world. Default: the one in the URL. */
  readonly world?: string | undefined
  /** The control token of the mock. Default: in Node the variable `MOCKMAKER_CONTROL_TOKEN`, elsewhere none. */
  readonly controlToken?: string | undefined
  /** Default: the global `fetch` from when the package was loaded, because tests replace it. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** The methods of an interface over HTTP. Each returns a promise, and rejects with `ClientError`. */
export type OverHttp<Local> = {
  readonly [Name in keyof Local]: Local[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : never
}

/** A token with the name of its owner. */
export type OwnedToken = (TokenInfo & Rows['tokens']) | LobbyTokenInfo

/** The clock of a world. */
export interface ClientClock {
  get(): Promise<ClockJson>
  /** Freezes, resumes, speeds up or moves the clock. */
  set(setting: ClockSetting): Promise<ClockJson>
  /** Moves the time forward, by ms or by a duration such as `40s`. */
  advance(by: number | string): Promise<ClockJson>
}

/** The tables and the clock of a world. `tokens` does not list the tokens of lobbies, because they are not records. */
export interface ClientWorld extends ClientTables {
  readonly clock: ClientClock
  /** Returns title, description, seed, revision, time, waiters, and the number of records in each table. */
  describe(): Promise<WorldDescription>
}

/** A fault that the client has added, as it was then. */
export type ClientFaultHandle = FaultState & OverHttp<Pick<FaultHandle, 'remove' | 'release'>>

/**
 * Controls a world of a mock over HTTP, and the other worlds of its server. It has the methods of a mock. A call that changes an unknown
 * world creates it.
 */
export interface Client
  extends OverHttp<
    Omit<
      WorldControl,
      | 'id'
      | 'world'
      | 'clock'
      | 'tokens'
      | 'faults'
      | 'held'
      | 'servers'
      | 'journal'
      | 'stories'
      | 'warnings'
      | 'lobbyEnvironment'
      | 'changes'
      | 'fail'
      | 'delay'
      | 'hold'
    >
  > {
  /** The id of the world. */
  readonly id: string
  /** The URL of the world: the base URL for a game's client. It has no slash at its end. */
  readonly url: string
  readonly world: ClientWorld
  /** The same as `world.clock`. */
  readonly clock: ClientClock
  readonly faults: OverHttp<Faults>
  readonly held: OverHttp<HeldRequests>
  readonly servers: OverHttp<GameServerCalls>
  readonly journal: OverHttp<Omit<Journal, 'load'>>
  /** The stories of the players, from the find to the end. */
  readonly stories: OverHttp<Stories>
  /** The mistakes of clients and game servers. */
  readonly warnings: OverHttp<Warnings>
  readonly worlds: OverHttp<Pick<WorldsControl, 'list' | 'delete'>> & {
    get(id: string): Promise<Client | undefined>
    /** Creates or replaces a world. */
    put(id: string, options?: NewWorldOptions): Promise<Client>
  }
  health(): Promise<Health>
  /** Lists the tokens of the world and of its lobbies. */
  tokens(): Promise<OwnedToken[]>
  /** Lists the scenarios that can be loaded by name, the mock's own first. */
  scenarios(): Promise<readonly ScenarioSummary[]>
  /** Returns the environment variables that the service gives to the server of a lobby. */
  lobbyEnvironment(lobbyId: string): Promise<Environment>
  /** Fails the requests of an operation: with a status, with a code of the service, or with both and a message. */
  fail(operation: OperationPattern, failure: Failure, options?: FaultOptions): Promise<ClientFaultHandle>
  /** Delays the requests of an operation, by the world's clock. */
  delay(operation: OperationPattern, delay: FaultDelayInput, options?: FaultOptions): Promise<ClientFaultHandle>
  /** Holds the requests of an operation, until `release` of the handle. */
  hold(operation: OperationPattern, options?: FaultOptions): Promise<ClientFaultHandle>
  /** Yields change sets and requests as they happen, from the moment when the promise resolves. */
  changes(options?: ChangesOptions): Promise<AsyncGenerator<MockEvent, undefined>>
}

/**
 * Creates a client of the mock at a URL such as `http://127.0.0.1:4100`. The URL may name a world: `…/w/test-42`. Throws
 * `ClientError` for any other text, or if an option is wrong.
 */
export function createClient(url: string, options: ClientOptions = {}): Client {
  return createCheckedClient(url, options)
}

/** Says why a verification is about another journal than that of the test. `undefined` if it is about the same. */
export type LossOf = (verification: Verification) => string | undefined

/** Creates a client whose `journal.expect` fails with the sentence of `lossOf`, if that returns one. */
export function createCheckedClient(url: string, options: ClientOptions, lossOf?: LossOf): Client {
  // JavaScript callers may pass anything.
  const found = splitWorldUrl(String(url))
  if (!found) throw misuseError(`url is ${quoted(url)}: expected http://127.0.0.1:4100, or …/w/test-42`)
  checkOptions(options)
  const fetch: typeof globalThis.fetch = (...request) => (options.fetch ?? loadedFetch ?? globalThis.fetch)(...request)
  const { server, encodedId = defaultWorldId } = found
  const named = decodeSegment(encodedId)
  if (!worldId.pattern.test(named))
    throw misuseError(`url names the world ${quoted(named)}: expected ${worldId.expected}`)
  const token = options.controlToken ?? environment().MOCKMAKER_CONTROL_TOKEN
  checkToken(token)
  return clientOf(options.world ?? named, { url: server, fetch, token, beginning: new Set() }, lossOf)
}

function environment(): Readonly<Record<string, string | undefined>> {
  return (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env ?? {}
}

/** A header can have no other characters. The message does not show the token. */
function checkToken(token: unknown): void {
  if (token === undefined || (typeof token === 'string' && /^[!-~]+$/.test(token))) return
  throw misuseError(
    'the control token (options.controlToken, or the variable MOCKMAKER_CONTROL_TOKEN) is empty, or has other characters than a header can have: pass the one of the mock',
  )
}

/** Checks the options by hand, because the client loads no schemas. */
function checkOptions(options: ClientOptions): void {
  checkObject('options', options)
  checked(() => checkKeys(options, ['world', 'controlToken', 'fetch']))
  const { world, fetch } = options
  if (world !== undefined && !(typeof world === 'string' && worldId.pattern.test(world)))
    throw misuseError(`options.world is ${quoted(world)}: expected ${worldId.expected}`)
  if (fetch !== undefined && typeof fetch !== 'function')
    throw misuseError(`options.fetch is ${quoted(fetch)}: expected a function`)
}

function clientOf(id: string, server: ControlledRemote, lossOf?: LossOf): Client {
  const url = server.url + worldPath(encodeURIComponent(id))
  const remote = { ...server, url }
  const world = worldOf(remote)
  return {
    id,
    url,
    world,
    clock: world.clock,
    faults: faultsOf(remote),
    held: heldOf(remote),
    servers: serversOf(remote),
    journal: journalOf(remote, lossOf),
    stories: storiesOf(remote),
    warnings: {
      list: async () => [...(await request(remote, 'GET /warnings')).warnings],
      dropped: async () => (await request(remote, 'GET /warnings')).dropped,
    },
    worlds: worldsOf(remote, id => clientOf(id, server)),
    ...simulationsOf(remote),
    ...scenariosOf(remote),
    health: () => request(remote, 'GET /health'),
    async tokens() {
      const { tokens = [] } = await request(remote, 'GET /{table}', { params: { table: 'tokens' }, query: {} })
      return tokens as unknown as OwnedToken[] // the mock answers with the records of this table
    },
    lobbyEnvironment: lobby_id => request(remote, 'GET /lobbies/{lobby_id}/env', { params: { lobby_id } }),
    async completeDeviceLink(token, options = {}) {
      await request(remote, 'POST /device-links/{token}/complete', { params: { token }, body: options })
    },
    async expireDeviceLink(token) {
      await request(remote, 'POST /device-links/{token}/expire', { params: { token } })
    },
    async setClientLocation(location) {
      await request(remote, 'PUT /client', { body: { location } })
    },
    explain: question => request(remote, 'GET /explain', { query: question }),
    history: (query = {}) => request(remote, 'GET /history', { query }),
    schedule: async (query = {}) => (await request(remote, 'GET /schedule', { query })).jobs,
    changes: options => readEvents(remote, options),
    ...creatorsOf(remote),
    ...faultCallsOf(remote),
    next: (operation, match, options) => waitFor(remote, 'POST /journal/next', { body: { operation, match }, options }),
    blocked: (count, operation, options) =>
      waitFor(remote, 'POST /journal/blocked', { body: { count, operation }, options }),
  }
}

function worldOf(remote: ControlledRemote): ClientWorld {
  const tables = Object.entries(tablesByPath).map(([path, name]) => [name, createTable(remote, path)])
  return {
    ...(Object.fromEntries(tables) as ClientTables), // one for each table
    clock: {
      get: () => request(remote, 'GET /clock'),
      // JSON has a `Date` as text.
      set: setting => request(remote, 'PUT /clock', { body: setting as Input<'PUT /clock'>['body'] }),
      advance: by => request(remote, 'POST /clock/advance', { body: { by } }),
    },
    describe: () => request(remote, 'GET /world'),
  }
}

function faultsOf(remote: ControlledRemote): Client['faults'] {
  return {
    list: async (query = {}) => (await request(remote, 'GET /faults', { query })).faults,
    add: fault => request(remote, 'POST /faults', { body: withTextDurations(fault) }),
    replace: (fault_id, fault) =>
      undefinedIfMissing(
        request(remote, 'PUT /faults/{fault_id}', { params: { fault_id }, body: withTextDurations(fault) }),
      ),
    remove: fault_id => isFound(request(remote, 'DELETE /faults/{fault_id}', { params: { fault_id } })),
    async clear() {
      await request(remote, 'DELETE /faults')
    },
    async release(fault_id, how = {}) {
      const answer = request(remote, 'POST /faults/{fault_id}/release', { params: { fault_id }, body: how })
      return (await undefinedIfMissing(answer))?.released
    },
  }
}

function heldOf(remote: ControlledRemote): Client['held'] {
  return {
    get: request_id => undefinedIfMissing(request(remote, 'GET /held/{request_id}', { params: { request_id } })),
    async check(request_id, answer) {
      const checked = request(remote, 'POST /held/{request_id}/check', { params: { request_id }, body: answer })
      return (await undefinedIfMissing(checked))?.problems
    },
    async release(request_id, how = {}) {
      const released = request(remote, 'POST /held/{request_id}/release', { params: { request_id }, body: how })
      return (await undefinedIfMissing(released))?.problems
    },
  }
}

function serversOf(remote: ControlledRemote): Client['servers'] {
  return {
    list: async () => (await request(remote, 'GET /servers')).servers,
    get: lobby_id => undefinedIfMissing(request(remote, 'GET /servers/{lobby_id}', { params: { lobby_id } })),
    restart: lobby_id =>
      undefinedIfMissing(request(remote, 'POST /servers/{lobby_id}/restart', { params: { lobby_id } })),
    kill: lobby_id => undefinedIfMissing(request(remote, 'POST /servers/{lobby_id}/kill', { params: { lobby_id } })),
    served: lobby_id => request(remote, 'GET /lobbies/{lobby_id}/served', { params: { lobby_id } }),
  }
}

function creatorsOf(remote: ControlledRemote): Pick<Client, 'lobby' | 'lobbies' | 'player'> {
  const create = async (lobbies: readonly NewLobby[]) =>
    (await request(remote, 'POST /new/lobbies', { body: { lobbies: [...lobbies] } })).lobbies
  return {
    async lobby(fields = {}) {
      const [lobby] = await create([fields])
      return lobby as LobbyRow // one for each input
    },
    lobbies: async (count, fields) => create(checked(() => lobbyFields(count, fields))),
    player: async (fields = {}) => withoutCreated(await request(remote, 'POST /new/player', { body: fields })),
  }
}

function faultCallsOf(remote: ControlledRemote): Pick<Client, 'fail' | 'delay' | 'hold'> {
  const { add, remove, release } = faultsOf(remote)
  const addFault = async (faultOf: () => FaultOfCall): Promise<ClientFaultHandle> => {
    const { fault, inArguments } = checked(faultOf)
    const state = await rewordedCall(add(fault), inArguments)
    return Object.freeze({
      ...state,
      remove: () => remove(state.id),
      async release(how?: HeldRelease) {
        const released = await release(state.id, how)
        await remove(state.id)
        return released ?? 0
      },
    })
  }
  return {
    fail: (operation, what, options) => addFault(() => failure(operation, what, options)),
    delay: (operation, delay, options) => addFault(() => delayed(operation, delay, options)),
    hold: (operation, options) => addFault(() => held(operation, options)),
  }
}

function journalOf(remote: ControlledRemote, lossOf: LossOf = () => undefined): Client['journal'] {
  const withoutEntries = (operation?: OperationPattern) =>
    request(remote, 'GET /journal', { query: { since: Number.MAX_SAFE_INTEGER, operation } })
  return {
    find: async (filter = {}) => (await request(remote, 'GET /journal', { query: filter })).exchanges,
    get: id =>
      undefinedIfMissing(request(remote, 'GET /journal/{exchange_id}', { params: { exchange_id: String(id) } })),
    dropped: async () => (await withoutEntries()).dropped,
    beginsAt: async () => (await withoutEntries()).begins_at,
    pending: async operation => (await withoutEntries(operation)).pending,
    waits: async () => (await withoutEntries()).waits,
    verify: expectation => request(remote, 'POST /journal/verify', { body: expectation }),
    async expect(operation, match, times) {
      const body = checked(() => expectationOf('expect', { operation, match, times }))
      const verification = await rewordedCall(request(remote, 'POST /journal/verify', { body }), message =>
        inArguments('expect', message),
      )
      const reason = lossOf(verification)
      if (reason !== undefined) throw new JournalMismatch({ ...verification, ok: false, reason, nearest: [] })
      if (!verification.ok) throw new JournalMismatch(verification)
    },
    async clear() {
      await request(remote, 'DELETE /journal')
    },
  }
}

function storiesOf(remote: ControlledRemote): Client['stories'] {
  return {
    list: (filter = {}) => request(remote, 'GET /stories', { query: filter }),
    get: (player, query = {}) =>
      undefinedIfMissing(request(remote, 'GET /stories/{player}', { params: { player: String(player) }, query })),
  }
}

function worldsOf(remote: ControlledRemote, clientOf: (id: string) => Client): Client['worlds'] {
  return {
    list: async () => (await request(remote, 'GET /worlds')).worlds,
    async get(world_id) {
      const found = await isFound(request(remote, 'GET /worlds/{world_id}', { params: { world_id } }))
      return found ? clientOf(world_id) : undefined
    },
    async put(world_id, options = {}) {
      await request(remote, 'PUT /worlds/{world_id}', { params: { world_id }, body: options })
      return clientOf(world_id)
    },
    delete: world_id => isFound(request(remote, 'DELETE /worlds/{world_id}', { params: { world_id } })),
  }
}

function simulationsOf(remote: ControlledRemote): Pick<Client, 'simulate' | 'simulations' | 'endSimulation'> {
  return {
    simulate: (options = {}) => request(remote, 'PUT /simulation', { body: options }),
    simulations: async () => (await request(remote, 'GET /simulation')).simulations,
    endSimulation: (query = {}) => isFound(request(remote, 'DELETE /simulation', { query })),
  }
}

function scenariosOf(
  remote: ControlledRemote,
): Pick<Client, 'scenarios' | 'reset' | 'load' | 'snapshot' | 'capsule' | 'restore'> {
  return {
    scenarios: async () => (await request(remote, 'GET /scenarios')).scenarios,
    async reset(options = {}) {
      await request(remote, 'POST /reset', { body: options })
    },
    async load(scenario) {
      await request(remote, 'PUT /scenario', { body: { scenario } })
    },
    async snapshot(options = {}) {
      checkObject('argument', options)
      const parts = options.with?.join(',') || undefined
      return request(remote, 'GET /snapshot', { query: { ...options, with: parts } })
    },
    async capsule(query = {}) {
      checkObject('argument', query)
      return textOf(await send(remote, 'GET /capsule', { query }, { headers: { accept: 'text/html' } }), remote)
    },
    async restore(snapshot) {
      await request(remote, 'PUT /snapshot', { body: snapshot })
    },
  }
}

async function isFound(call: Promise<object>): Promise<boolean> {
  return (await undefinedIfMissing(call)) !== undefined
}
