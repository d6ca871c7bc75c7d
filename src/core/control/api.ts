import * as z from 'zod'
import { ApiError } from '../contract/errors.js'
import { Fault, HeldAnswer, HeldRelease } from '../contract/faults.js'
import { booleanInQuery, integerInQuery } from '../contract/formats.js'
import { Expectation, JournalFilter } from '../contract/journal.js'
import { controlPath } from '../contract/paths.js'
import { isJsonObject } from '../lib/json.js'
import { lazy } from '../lib/lazy.js'
import { jsonPieces } from '../lib/long-json.js'
import { quoted, UsageError } from '../lib/messages.js'
import { AbortController } from '../lib/real-globals.js'
import { formatInstant } from '../lib/time.js'
import { header, type MockRequest, type MockResponseInit } from '../pipeline/message.js'
import { checkOwnPage } from '../pipeline/origin.js'
import { ClientGone } from '../pipeline/reads.js'
import { BlockedQuery, NextQuery } from '../pipeline/request-waits.js'
import { layoutOf } from '../scenario/layout.js'
import { readScenario, readSnapshot } from '../scenario/read.js'
import type { CheckedScenario, ScenarioInput } from '../scenario/schema.js'
import { longestAsYaml } from '../scenario/write-yaml.js'
import { hasContent, longestYaml } from '../scenario/yaml.js'
import { ClockSettingSchema } from '../store/clock.js'
import { Location } from '../store/columns.js'
import { listKey } from '../store/table-names.js'
import { timeOfState } from '../store/world-state.js'
import {
  acceptsEvents,
  call,
  jsonResponse,
  type ParamNames,
  type Params,
  prefersJson,
  prefersYaml,
  type ServedWorlds,
  textResponse,
} from './call.js'
import { setClientLocation } from './client-location.js'
import { createLobbies, createPlayer, NewLobbiesInput, NewPlayerInput } from './creators.js'
import { CompletionOptions, completeDeviceLink, expireDeviceLink } from './device-links.js'
import { exportLines, lobbyEnvironment } from './environment.js'
import { eventStream, stateStream, type Wait, waitStream } from './events.js'
import { Question } from './explain/explain.js'
import { clockJson, HistoryOptions, listRows, type RowsJson } from './history.js'
import { mostCreated } from './new-rows.js'
import { createRecord, deleteRecord, getRecord, listRecords, updateRecord } from './records.js'
import { listSchedule, ScheduleOptions } from './schedule.js'
import { EndSimulationOptions, endSimulation, listSimulations, SimulationOptions, simulate } from './simulation.js'
import { type StateName, stateNames } from './states.js'
import { worldStatus } from './status.js'
import { StoryFilter } from './stories/find-stories.js'
import {
  CapsuleOptions,
  describeWorld,
  type KeptData,
  type ListedWorld,
  NewWorldOptions,
  ResetOptions,
  ScenarioOrName,
  type WorldDescription,
} from './world-control.js'

/** The limits of a scenario or a snapshot, such as one of 20,000 lobbies with 50,000 players. It is applied at once. */
const scenarioLimits = {
  bytes: 8 * 1024 * 1024,
  values: 500_000,
  advice: 'start the command with the scenario as a file instead (mockmaker <file>), which may be larger',
} as const

const textLimits = { values: scenarioLimits.values, yamlCharacters: longestYaml } as const

function readSent(input: ScenarioInput | CheckedScenario): CheckedScenario {
  const scenario = readScenario(input)
  const namespaces = layoutOf(scenario.content).games.flatMap(game => game.namespaces)
  const generated = namespaces.reduce((sum, { given }) => sum + (given.generate?.lobbies ?? 0), 0)
  if (generated <= mostCreated) return scenario
  throw new ApiError(
    'API_BODY_TOO_LARGE',
    `the scenario generates ${generated} lobbies, and a call creates at most ${mostCreated}: ${scenarioLimits.advice}`,
  )
}

/** Any object, because the table checks its keys. A schema would lose a key called `__proto__`. */
const AnyRecord = z.custom<Readonly<Record<string, unknown>>>(isJsonObject, 'expected an object')
const namesIn = (list: string) => list.split(',').filter(Boolean)

/** The body of any call. A text is the id of a new game mode, or of a region of the catalogue. */
export const ObjectOrText = z.custom<Readonly<Record<string, unknown>> | string>(
  value => isJsonObject(value) || typeof value === 'string',
  'expected an object',
)

const wholeNumber = z
  .string()
  .regex(/^\d{1,16}$/, 'expected a whole number')
  .transform(Number)
  .meta(integerInQuery)

const trueOrFalse = z
  .enum(['true', 'false'])
  .transform(text => text === 'true')
  .meta(booleanInQuery)

/** Leaves out long answers from journal entries. */
const shortAnswers = z.literal('short').optional()

/** The control API, under `/__mock` of each world. The server, the client, the docs and `GET /__mock` come from this table. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: it is one table
export const controlCalls = lazy(() => [
  call('GET /', {
    answeredBy: 'this',
    summary: 'Lists these calls with their parameters.',
    run: () => ({ calls: describeCalls() }),
  }),
  call('GET /openapi.json', {
    answeredBy: 'this',
    summary: 'Returns these calls as an OpenAPI 3.1 document, with all schemas.',
    run: ({ openapi }) => openapi(),
  }),
  call('GET /health', {
    answeredBy: 'this',
    summary: 'Returns the version, the uptime, the place of the worlds (`data`), and counts worlds and watches.',
    run: async ({ server, version }): Promise<Health> => {
      await server.worlds.shared?.refresh()
      const { data } = server.worlds
      const worlds = server.worlds.list()
      const waiters = worlds.reduce((sum, world) => sum + world.waiters, 0)
      const uptime_ms = Math.round(server.uptimeMs())
      return { status: 'ok', version, uptime_ms, worlds: worlds.length, waiters, ...(data && { data }) }
    },
  }),
  call('GET /worlds', {
    media: 'text/event-stream',
    answeredBy: 'this',
    summary:
      'Lists the worlds. `created_at` and `used_at` are real times. A `sleeping` world is only in the storage. `replica` runs it.',
    async run({ server, isReadOnly }) {
      await server.worlds.shared?.refresh()
      const worlds = server.worlds.list().map(world => withReadOnly(world, isReadOnly))
      await server.worlds.settled()
      return { worlds }
    },
    respond: (_, { request, server: { worlds }, isReadOnly }) =>
      acceptsEvents(header(request, 'accept')) ? worldsStream(worlds, isReadOnly) : undefined,
  }),
  call('GET /replicas', {
    answeredBy: 'this',
    summary:
      'Lists the replicas with their worlds. `epoch` rises when a replica claims a world, at `claimed_at`. `taken_from` lost it.',
    run: async ({ server }) => ({ replicas: await server.worlds.replicas() }),
  }),
  call('GET /worlds/{world_id}', {
    answeredBy: 'named',
    summary: 'Returns a world: its title, seed, revision, time, and the size of each table.',
    run({ server, params: { world_id }, isReadOnly }): WorldDescription & Pick<ListedWorld, 'created_at'> {
      const world = existing('world', world_id, server.worlds.get(world_id))
      const createdAt = server.worlds.createdAt(world_id)
      const created = createdAt === undefined ? {} : { created_at: formatInstant(createdAt) }
      return withReadOnly({ ...describeWorld(world), ...created }, isReadOnly)
    },
  }),
  call('PUT /worlds/{world_id}', {
    answeredBy: 'named',
    summary: "Creates or replaces a world. Default: from the server's scenario.",
    body: NewWorldOptions(),
    limits: scenarioLimits,
    async run({ server, params: { world_id }, body: { scenario, ...body }, inSlices }) {
      const sent = typeof scenario === 'object' ? readSent(scenario) : scenario
      return describeWorld(await server.worlds.put(world_id, { ...body, scenario: sent }, { isKept: false, inSlices }))
    },
  }),
  call('DELETE /worlds/{world_id}', {
    answeredBy: 'named',
    summary: 'Deletes a world.',
    async run({ server, params: { world_id } }) {
      existing('world', world_id, await server.worlds.delete(world_id))
      return {}
    },
  }),
  call('GET /world', {
    summary: 'Returns this world, without `created_at`.',
    run: ({ mock, isReadOnly }) => withReadOnly(describeWorld(mock), isReadOnly),
  }),
  call('GET /status', {
    summary: 'Returns the clock, and counts seats, lobbies, faults and waiting requests.',
    run: ({ mock }) => worldStatus(mock),
  }),
  call('POST /reset', {
    summary: 'Resets the world to its scenario.',
    body: ResetOptions(),
    async run({ mock, body }) {
      await mock.reset(body)
      return describeWorld(mock)
    },
  }),
  call('GET /snapshot', {
    media: 'application/yaml',
    summary: 'Returns the world as a scenario in JSON, or a small one in YAML if `accept` asks for it.',
    query: z.strictObject({
      with: z
        .string()
        .regex(/^(faults|journal)(,(faults|journal))*$/, 'expected faults, journal, or faults,journal')
        .transform(parts => parts.split(',') as ('faults' | 'journal')[]) // the pattern allows no others
        .optional(),
      revision: wholeNumber.optional(),
      before: wholeNumber.optional(),
    }),
    run: ({ mock, query, inSlices }) => inSlices(mock.snapshot(query)),
    async respond(snapshot, { request, scenarioText, inSlices }) {
      if (!prefersYaml(header(request, 'accept'))) return undefined
      const pieces = await inSlices(jsonPieces(snapshot))
      if (pieces.reduce((sum, { length }) => sum + length, 0) > longestAsYaml) return undefined
      const json = pieces.join('')
      const text = scenarioText(json)
      return text === json ? undefined : textResponse('application/yaml', text)
    },
  }),
  call('GET /capsule', {
    media: 'text/html',
    summary: 'Returns the world with its past: a page, or JSON if `accept` prefers that. `last=10m` cuts the past.',
    query: CapsuleOptions(),
    // The JSON is a scenario, which may be too long to parse it again.
    run:
      ({ mock, query, inSlices }) =>
      () =>
        inSlices(mock.capsule(query)),
    async respond(collect, { request, capsuleHtml }) {
      const json = await collect()
      if (!capsuleHtml || prefersJson(header(request, 'accept'))) return textResponse('application/json', json)
      return textResponse('text/html; charset=utf-8', await capsuleHtml(json))
    },
  }),
  call('PUT /snapshot', {
    summary: 'Restores a snapshot.',
    // `restore` checks the rest.
    body: z.custom<ScenarioInput>(isJsonObject, 'expected an object'),
    limits: scenarioLimits,
    async run({ mock, body }) {
      await mock.restore(readSent(readSnapshot(body)))
      return describeWorld(mock)
    },
  }),
  call('GET /history', {
    summary: 'Lists the newest change sets with their causes, the oldest first. `rows=false` only names the rows.',
    query: HistoryOptions().extend({
      since: wholeNumber.optional(),
      limit: wholeNumber.optional(),
      rows: trueOrFalse.optional(),
    }),
    run: ({ mock, query }) => mock.history(query),
  }),
  call('GET /rows', {
    summary:
      'Returns the rows of all tables, or of `tables=lobbies,players`, now or after a `revision`. Earlier requests are below `next_id`.',
    query: z.strictObject({ revision: wholeNumber.optional(), tables: z.string().optional() }),
    async run({ mock, query: { revision, tables }, inSlices }): Promise<RowsJson> {
      const { clock } = mock.world
      await clock.catchUp()
      const now = clock.now()
      const nextId = mock.nextChangeId(revision ?? mock.world.revision)
      const state = await inSlices(mock.past.stateAt(revision))
      return {
        revision: state.revision,
        at: formatInstant(revision === undefined ? now : timeOfState(state)),
        ...(nextId === undefined ? {} : { next_id: nextId }),
        rows: listRows(state.tables, tables),
      }
    },
  }),
  call('GET /scenarios', {
    answeredBy: 'this',
    summary: 'Lists the scenarios with a name.',
    run: ({ server }) => ({ scenarios: server.scenarios }),
  }),
  call('PUT /scenario', {
    summary: 'Loads a scenario by its `name`, as JSON, or as the `text` of a `file`.',
    body: z
      .strictObject({
        name: z.string().optional(),
        scenario: ScenarioOrName().optional(),
        text: z.string().optional(),
        file: z.string().optional(),
      })
      .refine(
        ({ name, scenario, text }) => [name, scenario, text].filter(one => one !== undefined).length === 1,
        'expected one of name, scenario and text',
      ),
    limits: scenarioLimits,
    async run({ mock, body: { name, scenario, text, file = 'scenario' }, parseScenario, inSlices }) {
      if (text !== undefined && !hasContent(text))
        throw new UsageError(`${file} is empty: a scenario has at least one key, such as game_modes`)
      const sent =
        text === undefined
          ? (name ?? scenario ?? {})
          : await inSlices(parseScenario(text, { file, limits: textLimits }))
      await inSlices(mock.loadInSteps(typeof sent === 'string' ? sent : readSent(sent)))
      return describeWorld(mock)
    },
  }),
  call('GET /clock', {
    summary: 'Returns the time, mode and rate of the clock.',
    run: ({ mock }) => clockJson(mock.world.clock.state),
  }),
  call('PUT /clock', {
    summary: 'Freezes, resumes, speeds up or moves the clock.',
    body: ClockSettingSchema,
    async run({ mock, request, body }) {
      await untilDisconnected(request, signal => mock.world.clock.set(body, { signal }))
      return clockJson(mock.world.clock.state)
    },
  }),
  call('POST /clock/advance', {
    summary: 'Moves the time forward, and answers once everything that fell due has run.',
    body: z.strictObject({ by: z.union([z.number(), z.string()]) }),
    async run({ mock, request, body: { by } }) {
      await untilDisconnected(request, signal => mock.world.clock.advance(by, { signal }))
      return clockJson(mock.world.clock.state)
    },
  }),
  call('GET /schedule', {
    summary: 'Lists the next jobs.',
    query: ScheduleOptions().extend({ limit: wholeNumber.optional() }),
    run: ({ mock, query }) => ({ jobs: listSchedule(mock.world, query) }),
  }),
  call('GET /faults', {
    summary: 'Lists the faults with their counters. `unused=true`: those of no scenario that never applied.',
    query: z.strictObject({ unused: trueOrFalse.optional() }),
    run: ({ mock, query }) => ({ faults: mock.faults.list(query) }),
  }),
  call('POST /faults', {
    summary: 'Adds a fault, and returns it with its id.',
    body: Fault(),
    run: ({ mock, body }) => mock.faults.add(body),
  }),
  call('PUT /faults/{fault_id}', {
    summary: 'Replaces a fault. Another effect releases the requests that it holds.',
    body: Fault(),
    run: ({ mock, params: { fault_id }, body }) => existing('fault', fault_id, mock.faults.replace(fault_id, body)),
  }),
  call('DELETE /faults', {
    summary: 'Deletes all faults.',
    run({ mock }) {
      mock.faults.clear()
      return {}
    },
  }),
  call('DELETE /faults/{fault_id}', {
    summary: 'Deletes a fault, and releases the requests that it holds.',
    run({ mock, params: { fault_id } }) {
      existing('fault', fault_id, mock.faults.remove(fault_id))
      return {}
    },
  }),
  call('POST /faults/{fault_id}/release', {
    summary: 'Releases the requests that a fault holds or delays. The fault stays.',
    body: HeldRelease(),
    run: ({ mock, params: { fault_id }, body }) => ({
      released: existing('fault', fault_id, mock.faults.release(fault_id, body)),
    }),
  }),
  call('GET /held/{request_id}', {
    summary: 'Returns a held or delayed request with the `draft` of its answer.',
    run: ({ mock, params: { request_id } }) => existing('held', request_id, mock.held.get(request_id)),
  }),
  call('POST /held/{request_id}/check', {
    isRead: true,
    summary: 'Lists what the contract does not allow in an answer. Absent parts are of the draft.',
    body: HeldAnswer(),
    run: ({ mock, params: { request_id }, body }) => ({
      problems: existing('held', request_id, mock.held.check(request_id, body)),
    }),
  }),
  call('POST /held/{request_id}/release', {
    summary: 'Releases a held request. `{}` answers as usual.',
    body: HeldRelease(),
    run: ({ mock, params: { request_id }, body }) => ({
      problems: existing('held', request_id, mock.held.release(request_id, body)),
    }),
  }),
  call('GET /journal', {
    summary:
      'Lists the newest requests, the oldest first. `pending` are requests that wait for answers, `waits` calls that wait for requests.',
    query: JournalFilter().extend({
      status: wholeNumber.optional(),
      since: wholeNumber.optional(),
      answers: shortAnswers,
    }),
    run({ mock: { journal }, query: { answers, ...filter } }) {
      const [dropped, oldest] = [journal.dropped(), journal.oldest()]
      const [pending, waits] = [journal.pending(filter.operation), journal.waits()]
      const [begins_at, run] = [journal.beginsAt(), journal.run]
      const exchanges = journal.find(filter, answers)
      return { exchanges, dropped, oldest, pending, waits, begins_at, run }
    },
  }),
  call('GET /journal/{exchange_id}', {
    summary: 'Returns an entry of the journal.',
    run: ({ mock, params: { exchange_id } }) => existing('exchange', exchange_id, mock.journal.get(idOf(exchange_id))),
  }),
  call('GET /journal/{exchange_id}/request', {
    summary: "Returns a past request with whole tokens. Only the mock's own pages may ask.",
    run({ mock, request, hasControlToken, params: { exchange_id } }) {
      // Browsers send `sec-fetch-site` only over HTTPS, and to this machine.
      if (!hasControlToken) checkOwnPage(request)
      return existing('exchange', exchange_id, mock.journal.sentRequest(idOf(exchange_id)))
    },
    respond: sent => jsonResponse(sent, 'this origin'),
  }),
  call('POST /journal/next', {
    isRead: true,
    media: 'text/event-stream',
    summary:
      'Waits for the next matching request. Server-Sent Events: `begin`, then `done` with the request, or `failed` with `TIMED_OUT` or `WORLD_ENDED`.',
    body: NextQuery(),
    run:
      ({ mock, body: { operation, match, timeout } }): Wait =>
      signal =>
        mock.waits.next(operation, match, { signal, timeout }),
    respond: (wait, { mock }) => waitStream(wait, mock.world),
  }),
  call('POST /journal/blocked', {
    isRead: true,
    media: 'text/event-stream',
    summary: 'Waits until that many requests are blocked, with the same events.',
    body: BlockedQuery(),
    run:
      ({ mock, body: { count, operation, timeout } }): Wait =>
      signal =>
        mock.waits.blocked(count, operation, { signal, timeout }),
    respond: (wait, { mock }) => waitStream(wait, mock.world),
  }),
  call('POST /journal/verify', {
    isRead: true,
    summary: 'Tells whether the journal has these requests. If not, lists the nearest ones.',
    body: Expectation(),
    run: ({ mock, body }) => mock.journal.verify(body),
  }),
  call('DELETE /journal', {
    summary: 'Clears the journal.',
    run({ mock }) {
      mock.journal.clear()
      return {}
    },
  }),
  call('GET /stories', {
    summary:
      'Lists the stories of players, the newest first. `q` is a part of a token, name, address, lobby, game mode or region. `limit` is 50, at most 500. `next` is `before` of the next page.',
    query: StoryFilter().extend({
      simulated: trueOrFalse.optional(),
      limit: wholeNumber.optional(),
      before: wholeNumber.optional(),
    }),
    run: ({ mock, query }) => mock.stories.list(query),
  }),
  call('GET /stories/{player}', {
    summary: 'Tells the story of a player, by its token, name or `id`. `mermaid=true` adds a diagram.',
    query: z.strictObject({ mermaid: trueOrFalse.optional() }),
    run({ mock, params: { player }, query }) {
      const story = mock.stories.get(player, query)
      if (!story) throw mock.stories.missing(player)
      return story
    },
  }),
  call('GET /warnings', {
    summary: 'Lists the warnings with the ids of their requests. `dropped` counts those beyond 100.',
    run: ({ mock: { warnings } }) => ({ warnings: warnings.list(), dropped: warnings.dropped() }),
  }),
  call('GET /changes', {
    media: 'text/event-stream',
    summary: 'Streams change sets, requests and other parts as Server-Sent Events.',
    query: z.strictObject({
      since: wholeNumber.optional(),
      answers: shortAnswers,
      newest: wholeNumber.refine(count => count > 0, 'expected a whole number of 1 or more').optional(),
      with: z
        .string()
        .refine(
          names => namesIn(names).every(name => stateNames.some(known => known === name)),
          `expected names out of ${stateNames.join(', ')}, with commas between them`,
        )
        .transform(names => namesIn(names) as StateName[]) // just checked
        .optional(),
    }),
    run({ mock, query, request }) {
      const lastEventId = header(request, 'last-event-id')
      return () => mock.changes({ ...query, lastEventId })
    },
    respond: (begin, { mock, isReadOnly, publicUrl }) =>
      eventStream(begin, {
        world: mock.world,
        toSent(event) {
          if (event.type !== 'world') return event
          const address = publicUrl === undefined ? {} : { public_url: publicUrl }
          return { ...event, data: { ...withReadOnly(event.data, isReadOnly), ...address } }
        },
      }),
  }),
  call('GET /explain', {
    summary: 'Explains an answer, a list without a lobby, a find now, or an invalid name.',
    query: Question().extend({ exchange: wholeNumber.optional() }),
    run: ({ mock, query }) => mock.explain(query),
  }),
  call('GET /lobbies/{lobby_id}/env', {
    media: 'text/plain',
    summary: 'Returns the variables of a game server: lines for a shell, or JSON if `accept` asks for it.',
    run: ({ mock, params: { lobby_id }, url }) => lobbyEnvironment(mock.world.tables, lobby_id, { url }),
    respond(environment, { request }) {
      if (prefersJson(header(request, 'accept'), 'text/plain')) return undefined
      const lines = exportLines(environment).map(line => `${line}\n`)
      return textResponse('text/plain; charset=utf-8', lines.join(''))
    },
  }),
  call('GET /lobbies/{lobby_id}/served', {
    summary: 'Returns what a game server has called.',
    run: ({ mock, params: { lobby_id } }) => mock.servers.served(lobby_id),
  }),
  call('GET /servers', {
    summary: 'Lists the started game servers, the oldest first.',
    run: ({ mock }) => ({ servers: mock.servers.list() }),
  }),
  call('GET /servers/{lobby_id}', {
    summary: 'Returns a game server with its output and its environment.',
    run: ({ mock, params: { lobby_id } }) => existing('server', lobby_id, mock.servers.get(lobby_id)),
  }),
  call('POST /servers/{lobby_id}/restart', {
    summary: 'Restarts a game server, without players and state. If it has ended, a new lobby gets a new one.',
    run: ({ mock, params: { lobby_id } }) => existing('server', lobby_id, mock.servers.restart(lobby_id)),
  }),
  call('POST /servers/{lobby_id}/kill', {
    summary: 'Kills a game server with its children. Its lobby stops.',
    run: ({ mock, params: { lobby_id } }) => existing('server', lobby_id, mock.servers.kill(lobby_id)),
  }),
  call('PUT /client', {
    summary: 'Moves the player. `null`: the place is unknown.',
    body: z.strictObject({ location: Location.nullable() }),
    async run({ mock, body: { location } }) {
      setClientLocation(mock.world, location)
      return { location }
    },
  }),
  call('GET /simulation', {
    summary: 'Lists the simulations with their numbers of players.',
    run: ({ mock }) => ({ simulations: listSimulations(mock.world.tables) }),
  }),
  call('PUT /simulation', {
    summary: 'Simulates players in a namespace from now on.',
    body: SimulationOptions(),
    run: ({ mock, body }) => simulate(mock.world, body),
  }),
  call('DELETE /simulation', {
    summary: 'Stops a simulation. Its players leave when their sessions end.',
    query: EndSimulationOptions(),
    async run({ mock, query }) {
      if (await endSimulation(mock.world, query)) return {}
      const { namespace = 'the default namespace' } = query
      throw new ApiError(
        'API_NOT_FOUND',
        `no players are simulated in ${namespace}: GET /__mock/simulation lists the simulations, and PUT starts one`,
      )
    },
  }),
  call('POST /device-links/{token}/complete', {
    summary: 'Completes a device link for a game, without a cloud token.',
    body: CompletionOptions(),
    async run({ mock, params: { token }, body }) {
      completeDeviceLink(mock.world, token, body)
      return getRecord(mock.world, { table: 'device-links', id: token })
    },
  }),
  call('POST /device-links/{token}/expire', {
    summary: 'Expires a device link now.',
    async run({ mock, params: { token } }) {
      expireDeviceLink(mock.world, token)
      return getRecord(mock.world, { table: 'device-links', id: token })
    },
  }),
  call('POST /new/lobbies', {
    summary: 'Creates lobbies. Their `players` may be a number of connected players.',
    body: NewLobbiesInput(),
    limits: scenarioLimits,
    run: ({ mock, body: { lobbies } }) => ({ lobbies: createLobbies(mock.world, lobbies) }),
  }),
  call('POST /new/player', {
    summary: 'Creates a player: by default in the newest open lobby with a seat, else in a new one.',
    body: NewPlayerInput,
    run: ({ mock, body }) => createPlayer(mock.world, body),
  }),
  call('GET /{table}', {
    summary: 'Lists the records of a table, by any field: `game_mode_id=duel`, `state.map=Harbour`.',
    query: 'fields',
    run: ({ mock, params: { table }, request }) => ({
      [listKey(table)]: listRecords(mock.world, table, request.query),
    }),
  }),
  call('GET /{table}/{id}', {
    summary: 'Returns a record.',
    run: ({ mock, params }) => getRecord(mock.world, params),
  }),
  call('POST /{table}', {
    summary: 'Creates a record from its fields, or the keys of a scenario.',
    body: ObjectOrText,
    run: ({ mock, params: { table }, body }) => createRecord(mock.world, table, body),
  }),
  call('PATCH /{table}/{id}', {
    summary: 'Changes fields of a record. `null` removes an optional field.',
    body: AnyRecord,
    run: ({ mock, params, body }) => updateRecord(mock.world, params, body),
  }),
  call('DELETE /{table}/{id}', {
    summary: 'Deletes a record.',
    run: ({ mock, params }) => deleteRecord(mock.world, params),
  }),
])

type Calls = ReturnType<typeof controlCalls>[number]

/** The input and the output of each call, by its route. */
export type ControlApi = {
  readonly [Call in Calls as Call['route']]: {
    readonly input: Present<{
      params: [ParamNames<Call['route']>] extends [never] ? undefined : Params<Call['route']>
      query: SentQuery<NonNullable<Call['query']>>
      body: NonNullable<Call['body']> extends z.ZodType ? z.input<NonNullable<Call['body']>> : undefined
    }>
    readonly output: Awaited<ReturnType<Call['run']>>
  }
}

type Present<Parts> = { readonly [Name in keyof Parts as Parts[Name] extends undefined ? never : Name]: Parts[Name] }

type QueryValue = string | number | boolean | undefined
type SentQuery<Query> = [Query] extends [never]
  ? undefined
  : Query extends z.ZodType
    ? { readonly [Name in keyof z.input<Query>]: QueryValue }
    : Readonly<Record<string, QueryValue>>

/** The state of a server. */
export interface Health {
  readonly status: 'ok'
  readonly version: string
  readonly uptime_ms: number
  /** The number of worlds. */
  readonly worlds: number
  /** The number of requests that are blocked on a watch index, in all worlds. */
  readonly waiters: number
  /** The place that keeps the worlds. Absent if they are only in memory. */
  readonly data?: KeptData
}

function withReadOnly<Described extends object>(
  world: Described,
  isReadOnly: boolean,
): Described & { readonly read_only?: true } {
  return isReadOnly ? { ...world, read_only: true } : world
}

function worldsStream(worlds: ServedWorlds, isReadOnly: boolean): MockResponseInit {
  return stateStream<{ worlds: { worlds: readonly ListedWorld[] } }>(
    {
      read: () => ({ worlds: worlds.list().map(world => withReadOnly(world, isReadOnly)) }),
      subscribe: (mark, end) => worlds.changes.subscribe(isOpen => (isOpen ? mark('worlds', 'now') : end())),
    },
    ['worlds'],
    () => worlds.settled(),
  )
}

async function untilDisconnected(request: MockRequest, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const controller = new AbortController()
  const abort = () => controller.abort(new ClientGone())
  const client = request.signal?.()
  client?.addEventListener('abort', abort)
  if (client?.aborted) abort()
  try {
    await work(controller.signal)
  } finally {
    client?.removeEventListener('abort', abort)
  }
}

function idOf(text: string): number {
  return /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
}

/** The messages about things that a path names and nobody has. `*` stands for the id. */
const unknown = {
  world: 'there is no world *: PUT /__mock/worlds/{id} creates one',
  fault: 'there is no fault *: GET /__mock/faults lists the faults',
  exchange: 'the journal has no request * that this mock has answered: GET /__mock/journal lists the requests',
  held: 'no fault holds a request * now: GET /__mock/journal lists those that wait as pending, with their ids',
  server: 'the mock has started no game server for a lobby *: GET /__mock/servers lists those that it has started',
}

function existing<Found>(thing: keyof typeof unknown, id: string, found: Found | undefined | false): Found {
  if (found !== undefined && found !== false) return found
  throw new ApiError(
    'API_NOT_FOUND',
    unknown[thing].replace('*', () => quoted(id)),
  )
}

/** A call in the list of `GET /__mock`. */
interface CallDescription {
  readonly method: string
  readonly path: string
  readonly summary: string
  /** The names of its query parameters. All are optional. */
  readonly query?: readonly string[]
  /** The keys of its body, the optional ones with a `?`. Absent if the keys vary. */
  readonly body?: readonly string[]
}

export function describeCalls(): CallDescription[] {
  return controlCalls().map(({ method, path, summary, query, body }) => ({
    method,
    path: `${controlPath}${path === '/' ? '' : path}`,
    summary,
    ...(query instanceof z.ZodObject ? { query: Object.keys(query.shape) } : {}),
    ...(body instanceof z.ZodObject
      ? {
          body: Object.entries(body.shape).map(([name, schema]) =>
            schema instanceof z.ZodOptional ? `${name}?` : name,
          ),
        }
      : {}),
  }))
}
