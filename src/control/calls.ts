import { ApiError } from '../contract/errors.js'
import { quoted } from '../lib/quote.js'
import { UsageError } from '../lib/usage-error.js'
import type { ScenarioInput } from '../scenario/schema.js'
import { JsonToYaml } from '../scenario/write-yaml.js'
import { header, type MockRequest, type MockResponseInit } from '../server/message.js'
import { ClientGone } from '../server/watch.js'
import type { Clock } from '../store/clock.js'
import { prefersJson, prefersYaml } from './accept.js'
import { exportLines } from './environment.js'
import { eventStream } from './events.js'
import { type ControlId, type ControlInput, controlOperations } from './operations.js'
import { jsonPage, textPage, yamlPage } from './page-answer.js'
import { createRecord, deleteRecord, getRecord, listKey, listRecords, updateRecord } from './records.js'
import { shownCall } from './shown-call.js'
import { describeWorld, type WorldControl, type WorldsControl } from './world-control.js'

/** The server that is steered. */
export interface SteeredServer {
  readonly worlds: WorldsControl
  /** The names of the scenarios on hand. */
  readonly scenarios: readonly string[]
  /** For how long it has been there, in real ms. */
  uptimeMs(): number
}

/** Who is steered by a call, and what was asked. */
export interface ControlCall<Id extends ControlId> extends ControlInput<Id> {
  /** The world that the call is about. */
  readonly mock: WorldControl
  readonly server: SteeredServer
  /** The version of mockmaker. */
  readonly version: string | undefined
  readonly exchange: MockRequest
  /** Where who calls reaches the world. Without a slash at its end. */
  readonly url: string
}

type PageId = 'changes' | 'snapshot.get' | 'lobbies.environment'

/** The calls that may answer something else than JSON. */
export const controlPages = {
  changes: ({ mock, query, exchange }) =>
    eventStream(mock, { ...query, lastEventId: header(exchange, 'last-event-id') }),
  'snapshot.get': ({ mock, query, exchange }) => {
    const snapshot = mock.snapshot(query)
    if (!prefersYaml(header(exchange, 'accept'))) return jsonPage(snapshot, 'loopback')
    return yamlPage(yamlOf(snapshot))
  },
  'lobbies.environment': ({ mock, params: { lobby_id }, exchange, url }) => {
    const environment = mock.lobbyEnvironment(lobby_id, { url })
    if (prefersJson(header(exchange, 'accept'), 'text/plain')) return jsonPage(environment, 'loopback')
    return textPage(
      exportLines(environment)
        .map(line => `${line}\n`)
        .join(''),
    )
  },
} satisfies { readonly [Id in PageId]: (call: ControlCall<Id>) => MockResponseInit | Promise<MockResponseInit> }

/** What each other call of the control API does: it answers an object, throws `ApiError` or, where the caller did something wrong, `UsageError`. */
export const controlCalls = {
  calls: () => ({ calls: Object.values(controlOperations).map(shownCall) }),
  health: ({ server, version }) => {
    const worlds = server.worlds.list()
    const waiters = worlds.reduce((sum, world) => sum + world.waiters, 0)
    return { status: 'ok', version, uptime_ms: Math.round(server.uptimeMs()), worlds: worlds.length, waiters }
  },
  'worlds.list': ({ server }) => ({ worlds: server.worlds.list() }),
  'worlds.get': ({ server, params: { world_id } }) => {
    const steering = server.worlds.get(world_id)
    if (!steering) throw noWorld(world_id)
    return describeWorld(steering)
  },
  'worlds.put': async ({ server, params: { world_id }, body }) =>
    describeWorld(await server.worlds.put(world_id, body)),
  'worlds.delete': async ({ server, params: { world_id } }) => {
    if (!(await server.worlds.delete(world_id))) throw noWorld(world_id)
    return {}
  },
  'world.get': ({ mock }) => describeWorld(mock),
  reset: async ({ mock, body }) => {
    await mock.reset(body)
    return describeWorld(mock)
  },
  'snapshot.put': async ({ mock, body }) => {
    // What is no scenario is found out where it is read.
    await mock.restore(body as ScenarioInput)
    return describeWorld(mock)
  },
  'scenarios.list': ({ server }) => ({ scenarios: server.scenarios }),
  'scenario.put': async ({ mock, body: { name, scenario } }) => {
    await mock.load(name ?? scenario ?? {})
    return describeWorld(mock)
  },
  'clock.get': ({ mock }) => clockOf(mock.world.clock),
  'clock.set': async ({ mock, exchange, body }) => {
    await untilGone(exchange, signal => mock.world.clock.set(body, { signal }))
    return clockOf(mock.world.clock)
  },
  'clock.advance': async ({ mock, exchange, body: { by } }) => {
    await untilGone(exchange, signal => mock.world.clock.advance(by, { signal }))
    return clockOf(mock.world.clock)
  },
  'faults.list': ({ mock }) => ({ faults: mock.faults.list() }),
  'faults.add': ({ mock, body }) => mock.faults.add(body),
  'faults.clear': ({ mock }) => {
    mock.faults.clear()
    return {}
  },
  'faults.remove': ({ mock, params: { fault_id } }) => {
    if (!mock.faults.remove(fault_id)) throw noFault(fault_id)
    return {}
  },
  'faults.release': ({ mock, params: { fault_id } }) => {
    const released = mock.faults.release(fault_id)
    if (released === undefined) throw noFault(fault_id)
    return { released }
  },
  'journal.find': ({ mock, query }) => ({ exchanges: mock.journal.find(query), dropped: mock.journal.dropped() }),
  'journal.verify': ({ mock, body }) => mock.journal.verify(body),
  'journal.clear': ({ mock }) => {
    mock.journal.clear()
    return {}
  },
  explain: ({ mock, query }) => mock.explain(query),
  'simulation.get': ({ mock }) => ({ simulations: mock.simulations() }),
  'simulation.put': ({ mock, body }) => mock.simulate(body),
  'simulation.delete': async ({ mock, query }) => {
    if (!(await mock.endSimulation(query))) throw noSimulation(query.namespace)
    return {}
  },
  'device-links.complete': async ({ mock, params: { token }, body }) => {
    await mock.completeDeviceLink(token, body)
    return getRecord(mock.world, { table: 'device-links', id: token })
  },
  'device-links.expire': async ({ mock, params: { token } }) => {
    await mock.expireDeviceLink(token)
    return getRecord(mock.world, { table: 'device-links', id: token })
  },
  'records.list': ({ mock, params: { table }, exchange: { query } }) => ({
    [listKey(table)]: listRecords(mock.world, table, query),
  }),
  'records.get': ({ mock, params: { table, id } }) => getRecord(mock.world, { table, id }),
  'records.create': ({ mock, params: { table }, body }) => createRecord(mock.world, table, body),
  'records.update': ({ mock, params: { table, id }, body }) => updateRecord(mock.world, { table, id }, body),
  'records.delete': ({ mock, params: { table, id } }) => deleteRecord(mock.world, { table, id }),
} satisfies {
  readonly [Id in Exclude<ControlId, keyof typeof controlPages>]: (call: ControlCall<Id>) => object | Promise<object>
}

/** Does work with a signal that is aborted when the client goes away. Rejects with `ClientGone` then. */
async function untilGone(exchange: MockRequest, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const controller = new AbortController()
  const abort = () => controller.abort(new ClientGone('the client has gone'))
  const client = exchange.signal?.()
  client?.addEventListener('abort', abort)
  if (client?.aborted) abort()
  try {
    await work(controller.signal)
  } finally {
    client?.removeEventListener('abort', abort)
  }
}

/** The longest snapshot that is answered as YAML, in characters of its JSON: some 50,000 lobbies. */
const longestYaml = 16 * 1024 * 1024

function yamlOf(snapshot: ScenarioInput): string {
  const json = JSON.stringify(snapshot)
  if (json.length > longestYaml) {
    throw new UsageError(
      'the snapshot is too long to be answered as YAML: ask for application/json, or run mockmaker export, which writes YAML itself',
    )
  }
  const writer = new JsonToYaml()
  return writer.push(json) + writer.end()
}

function noSimulation(name = 'the default namespace'): ApiError {
  return new ApiError(
    'API_NOT_FOUND',
    `nobody comes by themselves to ${name}: GET /__mock/simulation lists where somebody does, PUT has them come`,
  )
}

function noFault(id: string): ApiError {
  return new ApiError('API_NOT_FOUND', `there is no fault ${quoted(id)}: GET /__mock/faults lists them`)
}

function noWorld(id: string): ApiError {
  return new ApiError('API_NOT_FOUND', `there is no world ${quoted(id)}: PUT /__mock/worlds/{id} makes one`)
}

function clockOf(clock: Clock): object {
  const { mode, rate } = clock
  return { mode, rate, now: new Date(clock.now()).toISOString() }
}
