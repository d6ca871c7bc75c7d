import type { FaultState } from '../contract/faults.js'
import type { JournalEntry } from '../contract/journal.js'
import { worldId, worldUrl } from '../contract/paths.js'
import type { SimulationState } from '../control/simulation.js'
import type { WorldSummary } from '../control/world-control.js'
import { didYouMean } from '../lib/did-you-mean.js'
import { quoted } from '../lib/quote.js'
import { ClientError, call, type Remote } from './call.js'
import { readChanges } from './changes.js'
import type { Client, ClientOptions, ClientWorld } from './client.js'
import { createTable, undefinedIfMissing } from './table.js'

/** The client of a mock at a URL, as `http://127.0.0.1:4100`; with a world in it, `…/w/test-42`, of that world. Throws `ClientError` for another URL, and where an option is unknown or not what it should be. */
export function createClient(url: string, options: ClientOptions = {}): Client {
  // What no type lets pass is text of some kind, too.
  const found = worldUrl(String(url))
  if (!found) throw misused(`url is ${quoted(url)}: expected http://127.0.0.1:4100, or …/w/test-42`)
  checkOptions(options)
  const fetch: typeof globalThis.fetch = (...request) => (options.fetch ?? globalThis.fetch)(...request)
  const { server, encodedId = defaultId } = found
  return clientOf(options.world ?? decodeURIComponent(encodedId), { url: server, fetch })
}

/** What each option should be. By hand: the client loads no schemas. */
const optionChecks = {
  world: {
    expected: worldId.expected,
    isRight: (value: unknown) => typeof value === 'string' && worldId.pattern.test(value),
  },
  fetch: { expected: 'a function', isRight: (value: unknown) => typeof value === 'function' },
} satisfies Record<keyof ClientOptions, { readonly expected: string; isRight(value: unknown): boolean }>

/** Throws `ClientError` where an option is unknown, or not what it should be. */
function checkOptions(options: unknown): void {
  if (typeof options !== 'object' || options === null)
    throw misused(`options is ${quoted(options)}: expected an object`)
  for (const [name, value] of Object.entries(options)) {
    const check = new Map(Object.entries(optionChecks)).get(name)
    if (!check) throw misused(`options.${name} is an unknown key.${didYouMean(name, Object.keys(optionChecks))}`)
    if (value === undefined || check.isRight(value)) continue
    throw misused(`options.${name} is ${quoted(value)}: expected ${check.expected}`)
  }
}

function misused(message: string): ClientError {
  return new ClientError(message, { status: 0, code: 'MISUSED' })
}

/** What the world is called that is meant where a URL names none. */
const defaultId = 'default'

function clientOf(id: string, server: Remote): Client {
  const url = id === defaultId ? server.url : `${server.url}/w/${encodeURIComponent(id)}`
  const remote = { ...server, url }
  const { get, send } = callsOf(remote)
  const link = (token: string, verb: 'complete' | 'expire') => `/device-links/${encodeURIComponent(token)}/${verb}`
  return {
    id,
    url,
    world: worldOf(remote),
    faults: faultsOf(remote),
    journal: journalOf(remote),
    worlds: worldsOf(remote, world => clientOf(world, server)),
    health: () => get('/health'),
    tokens: async () => (await get<{ tokens: Awaited<ReturnType<Client['tokens']>> }>('/tokens')).tokens,
    scenarios: async () => (await get<{ scenarios: string[] }>('/scenarios')).scenarios,
    lobbyEnvironment: lobbyId =>
      call(remote, {
        method: 'GET',
        path: `/lobbies/${encodeURIComponent(lobbyId)}/env`,
        headers: { accept: 'application/json' },
      }) as ReturnType<Client['lobbyEnvironment']>, // what the mock answers there
    simulate: options => send('PUT', '/simulation', options),
    simulations: async () => (await get<{ simulations: SimulationState[] }>('/simulation')).simulations,
    endSimulation: ({ namespace } = {}) =>
      gone(call(remote, { method: 'DELETE', path: '/simulation', query: { namespace } })),
    async reset(options) {
      await send('POST', '/reset', options)
    },
    async load(scenario) {
      await send('PUT', '/scenario', { scenario })
    },
    snapshot: ({ with: also, ...options } = {}) => get('/snapshot', { ...options, with: also?.join(',') || undefined }),
    async restore(snapshot) {
      await send('PUT', '/snapshot', snapshot)
    },
    async completeDeviceLink(token, options) {
      await send('POST', link(token, 'complete'), options)
    },
    async expireDeviceLink(token) {
      await send('POST', link(token, 'expire'))
    },
    explain: question => get('/explain', question),
    changes: options => readChanges(remote, options),
  }
}

/** The calls of a world. What a mock answers is what its table of calls has them answer. */
function callsOf(remote: Remote) {
  return {
    get: <T>(path: string, query = {}) => call(remote, { method: 'GET', path, query }) as Promise<T>,
    send: <T>(method: 'POST' | 'PUT' | 'DELETE', path: string, body: object = {}) =>
      call(remote, { method, path, body }) as Promise<T>,
  }
}

function faultsOf(remote: Remote): Client['faults'] {
  const { get, send } = callsOf(remote)
  const at = (id: string) => `/faults/${encodeURIComponent(id)}`
  return {
    list: async () => (await get<{ faults: FaultState[] }>('/faults')).faults,
    add: fault => send('POST', '/faults', fault),
    remove: id => gone(send('DELETE', at(id))),
    async clear() {
      await send('DELETE', '/faults')
    },
    release: id =>
      send<{ released: number }>('POST', `${at(id)}/release`).then(({ released }) => released, undefinedIfMissing),
  }
}

function journalOf(remote: Remote): Client['journal'] {
  const { get, send } = callsOf(remote)
  return {
    find: async (filter = {}) => (await get<{ exchanges: JournalEntry[] }>('/journal', filter)).exchanges,
    dropped: async () => (await get<{ dropped: number }>('/journal', { since: Number.MAX_SAFE_INTEGER })).dropped,
    verify: expectation => send('POST', '/journal/verify', expectation),
    async clear() {
      await send('DELETE', '/journal')
    },
  }
}

function worldsOf(remote: Remote, clientOf: (id: string) => Client): Client['worlds'] {
  const { get, send } = callsOf(remote)
  const at = (id: string) => `/worlds/${encodeURIComponent(id)}`
  return {
    list: async () => (await get<{ worlds: WorldSummary[] }>('/worlds')).worlds,
    get: id => get(at(id)).then(() => clientOf(id), undefinedIfMissing),
    put: (id, options) => send('PUT', at(id), options).then(() => clientOf(id)),
    delete: id => gone(send('DELETE', at(id))),
  }
}

/** Whether something was there to be taken away. */
function gone(deleted: Promise<unknown>): Promise<boolean> {
  return deleted.then(
    () => true,
    error => undefinedIfMissing(error) ?? false,
  )
}

function worldOf(remote: Remote): ClientWorld {
  const { get, send } = callsOf(remote)
  return {
    games: createTable(remote, { name: 'games' }),
    namespaces: createTable(remote, { name: 'namespaces' }),
    gameModes: createTable(remote, { name: 'game-modes' }),
    regions: createTable(remote, { name: 'regions' }),
    lobbies: createTable(remote, { name: 'lobbies' }),
    players: createTable(remote, { name: 'players' }),
    simulations: createTable(remote, { name: 'simulations' }),
    deviceLinks: createTable(remote, { name: 'device-links' }),
    tokens: createTable(remote, { name: 'tokens', isRecord: token => !('lobby_id' in token) }),
    clock: {
      get: () => get('/clock'),
      set: setting => send('PUT', '/clock', setting),
      advance: by => send('POST', '/clock/advance', { by }),
    },
    describe: () => get('/world'),
  }
}
