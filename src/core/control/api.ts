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

/** Reads a scenario of a body. Throws `UsageError`, and `ApiError` if it generates more lobbies than a call may create. */
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
/** Returns the names in a list with commas. */
const namesIn = (list: string) => list.split(',').filter(Boolean)

/** The body of any call. A text is the id of a new game mode, or of a region of the catalogue. */
export const ObjectOrText = z.custom<Readonly<Record<string, unknown>> | string>(
  value => isJsonObject(value) || typeof value === 'string',
  'expected an object',
)

/** A whole number in a query. */
const wholeNumber = z
  .string()
  .regex(/^\d{1,16}$/, 'expected a whole number')
  .transform(Number)
  .meta(integerInQuery)

/** `true` or `false` in a query. */
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
    summary: 'Returns these calls as an OpenAPI 3.1 document, with the schemas of bodies and answers.',
    run: ({ openapi }) => openapi(),
  }),
  call('GET /health', {
    answeredBy: 'this',
    summary:
      'Returns the status of the server: its version, its uptime, and the numbers of worlds and of watches that wait. `data` is the place that keeps the worlds, if there is one.',
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
      'Lists the worlds of the server. If `accept` asks for `text/event-stream`, an event `worlds` has the list. It comes again after a world has come or gone. `created_at` and `used_at` are real times. `sleeping` marks a world that only the storage has. The next request loads it. With replicas, the list has the worlds of all. `replica` is the address of the one that runs the world. If another one does, `waiters` is some seconds old.',
    async run({ server, isReadOnly }) {
      await server.worlds.shared?.refresh()
      const worlds = server.worlds.list().map(world => marked(world, isReadOnly))
      await server.worlds.settled()
      return { worlds }
    },
    respond: (_, { request, server: { worlds }, isReadOnly }) =>
      acceptsEvents(header(request, 'accept')) ? worldsStream(worlds, isReadOnly) : undefined,
  }),
  call('GET /replicas', {
    answeredBy: 'this',
    summary:
      'Lists the replicas: the processes that share their worlds through one storage, and the worlds that each of them runs. `epoch` rises when a replica begins to run a world, and `claimed_at` tells when. `taken_from` is the id of the replica that ran it before, and stopped without giving it back. Without replicas, the list is empty.',
    run: async ({ server }) => ({ replicas: await server.worlds.replicas() }),
  }),
  call('GET /worlds/{world_id}', {
    answeredBy: 'named',
    summary:
      'Returns a world: its title, description, seed, revision, time, and the number of records in each table. `created_at` is a real time.',
    run({ server, params: { world_id }, isReadOnly }): WorldDescription & Pick<ListedWorld, 'created_at'> {
      const world = existing('world', world_id, server.worlds.get(world_id))
      const createdAt = server.worlds.createdAt(world_id)
      const created = createdAt === undefined ? {} : { created_at: formatInstant(createdAt) }
      return marked({ ...describeWorld(world), ...created }, isReadOnly)
    },
  }),
  call('PUT /worlds/{world_id}', {
    answeredBy: 'named',
    summary: "Creates or replaces a world: from a scenario, as a copy of another world, or from the server's scenario.",
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
    summary: 'Returns this world, in the same form, without `created_at`.',
    run: ({ mock, isReadOnly }) => marked(describeWorld(mock), isReadOnly),
  }),
  call('GET /status', {
    summary:
      'Returns the clock, and the numbers of players with a seat, running lobbies, faults and requests that wait.',
    run: ({ mock }) => worldStatus(mock),
  }),
  call('POST /reset', {
    summary: 'Resets the world to its scenario, in one change set.',
    body: ResetOptions(),
    async run({ mock, body }) {
      await mock.reset(body)
      return describeWorld(mock)
    },
  }),
  call('GET /snapshot', {
    media: 'application/yaml',
    summary:
      'Returns the whole world in the scenario format. It is JSON, or YAML if `accept` asks for it and the world is not too large.',
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
    summary:
      'Returns the world with its past in one file: a page that opens in any browser, and a scenario. It is JSON if `accept` prefers that. `last=10m` cuts the past.',
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
    summary: 'Restores a snapshot, in one change set.',
    // `restore` checks the rest.
    body: z.custom<ScenarioInput>(isJsonObject, 'expected an object'),
    limits: scenarioLimits,
    async run({ mock, body }) {
      await mock.restore(readSent(readSnapshot(body)))
      return describeWorld(mock)
    },
  }),
  call('GET /history', {
    summary:
      'Lists the newest change sets of the world with their causes, the oldest first. `rows=false` only names the changed rows, and those that were created or deleted.',
    query: HistoryOptions().extend({
      since: wholeNumber.optional(),
      limit: wholeNumber.optional(),
      rows: trueOrFalse.optional(),
    }),
    run: ({ mock, query }) => mock.history(query),
  }),
  call('GET /rows', {
    summary:
      'Returns the rows of all tables, or of some (`tables=lobbies,players`), at one moment: now, or right after a change set. Requests with ids below `next_id` were answered before that moment.',
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
    summary: 'Lists the scenarios that can be loaded by name: the name, the title and the description of each.',
    run: ({ server }) => ({ scenarios: server.scenarios }),
  }),
  call('PUT /scenario', {
    summary:
      'Loads another scenario, in one change set: by its `name`, as JSON (`scenario`), or as the `text` of a YAML or JSON file. `file` is the name of the text in messages.',
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
    summary: "Returns the world's time, and the mode and rate of its clock.",
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
    summary: 'Moves the time forward. All jobs that fall due run in order before the call answers.',
    body: z.strictObject({ by: z.union([z.number(), z.string()]) }),
    async run({ mock, request, body: { by } }) {
      await untilDisconnected(request, signal => mock.world.clock.advance(by, { signal }))
      return clockJson(mock.world.clock.state)
    },
  }),
  call('GET /schedule', {
    summary:
      "Lists the jobs that are due next on the world's clock: when a lobby stops, a player leaves, a device link completes.",
    query: ScheduleOptions().extend({ limit: wholeNumber.optional() }),
    run: ({ mock, query }) => ({ jobs: listSchedule(mock.world, query) }),
  }),
  call('GET /faults', {
    summary:
      'Lists the faults of the world, with their counters. `unused=true` lists those that no scenario has added, and that never applied to a request.',
    query: z.strictObject({ unused: trueOrFalse.optional() }),
    run: ({ mock, query }) => ({ faults: mock.faults.list(query) }),
  }),
  call('POST /faults', {
    summary: 'Adds a fault, and returns it with its id.',
    body: Fault(),
    run: ({ mock, body }) => mock.faults.add(body),
  }),
  call('PUT /faults/{fault_id}', {
    summary:
      'Replaces the settings of a fault: it moves on the clock, or gets another effect. Its id and its counters stay. `after` counts from its addition. With another effect, the requests that it holds are released.',
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
    summary:
      'Releases the requests that a fault holds or delays. The fault stays, and holds the next ones. The body is as for one request.',
    body: HeldRelease(),
    run: ({ mock, params: { fault_id }, body }) => ({
      released: existing('fault', fault_id, mock.faults.release(fault_id, body)),
    }),
  }),
  call('GET /held/{request_id}', {
    summary:
      'Returns a request that a fault holds or delays, by its `id` in `pending`. `draft` is the answer that it would get now. The world stays as it is. `waits_for` of the draft says that the request would wait before that.',
    run: ({ mock, params: { request_id } }) => existing('held', request_id, mock.held.get(request_id)),
  }),
  call('POST /held/{request_id}/check', {
    isRead: true,
    summary:
      'Lists the parts of an answer that the contract does not allow, as `problems`. Absent parts are those of the draft.',
    body: HeldAnswer(),
    run: ({ mock, params: { request_id }, body }) => ({
      problems: existing('held', request_id, mock.held.check(request_id, body)),
    }),
  }),
  call('POST /held/{request_id}/release', {
    summary:
      'Releases a request that a fault holds or delays. `{}` answers as usual, `answer` with another status or body, `error` with a failure. `reset` and `empty` break the connection, and `never` never answers. `delay` waits first. `problems` lists the parts of the answer that the contract does not allow.',
    body: HeldRelease(),
    run: ({ mock, params: { request_id }, body }) => ({
      problems: existing('held', request_id, mock.held.release(request_id, body)),
    }),
  }),
  call('GET /journal', {
    summary:
      'Lists the newest requests with their answers, the oldest first. Tokens are cut to their labels. `dropped` counts requests that the journal no longer has, and `oldest` is the id of the oldest one that it has. `pending` lists the requests that wait for their answers now, and `waits` the calls that wait for requests, each with the nearest ones. `begins_at` is the real time since when the journal has all requests but the dropped ones, and `run` differs after a restart of the mock. `answers=short` leaves out an answer of more than 2 KiB, and has its length as `answer_bytes`.',
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
    summary: 'Returns an entry of the journal, by its id.',
    run: ({ mock, params: { exchange_id } }) => existing('exchange', exchange_id, mock.journal.get(idOf(exchange_id))),
  }),
  call('GET /journal/{exchange_id}/request', {
    summary: "Returns a past request as it was sent, with whole tokens. Only the mock's own pages may ask.",
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
      'Waits for the next matching request, and streams it as a Server-Sent Event `done`. The event `begin` says that the mock waits. The event `failed` has a `code` and a `message`: `TIMED_OUT` after the `timeout`, in real time, or `WORLD_ENDED`.',
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
    summary: 'Waits until that many requests are blocked, and streams them as the same events.',
    body: BlockedQuery(),
    run:
      ({ mock, body: { count, operation, timeout } }): Wait =>
      signal =>
        mock.waits.blocked(count, operation, { signal, timeout }),
    respond: (wait, { mock }) => waitStream(wait, mock.world),
  }),
  call('POST /journal/verify', {
    isRead: true,
    summary:
      'Checks that the journal has the expected requests. If not, it says why, and lists the nearest ones. `begins_at` and `run` are as in `GET /__mock/journal`.',
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
      'Lists the stories of players, the newest first: how each stands, or how it ended. `q` finds a part of the token, the name, the address, the lobby, the game mode or the region. `outcome` and `simulated` filter. `next` is the value of `before` for the next page of `limit` stories: 50 by default, at most 500. `total` counts all that match.',
    query: StoryFilter().extend({
      simulated: trueOrFalse.optional(),
      limit: wholeNumber.optional(),
      before: wholeNumber.optional(),
    }),
    run: ({ mock, query }) => mock.stories.list(query),
  }),
  call('GET /stories/{player}', {
    summary:
      'Tells the story of a player: its steps with their times and reasons, its requests, its lobby and its server. `{player}` is its token. The beginning of the token, the name or the `id` do, too, if only one story has that. `mermaid=true` adds a sequence diagram, as GitHub draws it in Markdown.',
    query: z.strictObject({ mermaid: trueOrFalse.optional() }),
    run({ mock, params: { player }, query }) {
      const story = mock.stories.get(player, query)
      if (!story) throw mock.stories.missing(player)
      return story
    },
  }),
  call('GET /warnings', {
    summary:
      'Lists the warnings: mistakes of clients and game servers that the real service would punish, or a player would feel. Each has its rule, a sentence, an advice, its count, its times, and the ids of the requests that prove it. `dropped` counts mistakes beyond 100 warnings.',
    run: ({ mock: { warnings } }) => ({ warnings: warnings.list(), dropped: warnings.dropped() }),
  }),
  call('GET /changes', {
    media: 'text/event-stream',
    summary:
      'Streams change sets, requests and their answers as Server-Sent Events, from now on or from a revision on. `answers=short` is as in `GET /__mock/journal`. `newest=50` leaves out the older ones of more than 50 requests that wait for a slow reader, and counts them in an event `skipped`. `with` adds events with the present state of parts of the world: `clock`, `faults`, `finds`, `history`, `journal`, `schedule`, `servers`, `stories`, `warnings` and `world`. Each comes at the beginning and after each change.',
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
          return { ...event, data: { ...marked(event.data, isReadOnly), ...address } }
        },
      }),
  }),
  call('GET /explain', {
    summary:
      'Explains why a lobby is not listed, how the mock answers a request, or why a name is invalid. `exchange` asks for the reasons of a past answer, by the id of its journal entry. `find` asks which lobby a find in this game mode gets now.',
    query: Question().extend({ exchange: wholeNumber.optional() }),
    run: ({ mock, query }) => mock.explain(query),
  }),
  call('GET /lobbies/{lobby_id}/env', {
    media: 'text/plain',
    summary:
      'Returns the environment variables for the game server of a lobby. They are lines for a shell, or JSON if `accept` asks for it.',
    run: ({ mock, params: { lobby_id }, url }) => lobbyEnvironment(mock.world.tables, lobby_id, { url }),
    respond(environment, { request }) {
      if (prefersJson(header(request, 'accept'), 'text/plain')) return undefined
      const lines = exportLines(environment).map(line => `${line}\n`)
      return textResponse('text/plain; charset=utf-8', lines.join(''))
    },
  }),
  call('GET /lobbies/{lobby_id}/served', {
    summary:
      'Returns what the game server of a lobby has called: its first ready, its players, its state and its refused calls.',
    run: ({ mock, params: { lobby_id } }) => mock.servers.served(lobby_id),
  }),
  call('GET /servers', {
    summary:
      'Lists the game servers that the mock has started for lobbies of the world, the oldest first. Times are those of the clock of the world.',
    run: ({ mock }) => ({ servers: mock.servers.list() }),
  }),
  call('GET /servers/{lobby_id}', {
    summary: 'Returns the game server of a lobby, with its newest lines of output and its environment.',
    run: ({ mock, params: { lobby_id } }) => existing('server', lobby_id, mock.servers.get(lobby_id)),
  }),
  call('POST /servers/{lobby_id}/restart', {
    summary:
      'Restarts the game server of a lobby, which loses its players and its state. If the server has ended, a new lobby of the same game mode and region gets a new one. Returns the server.',
    run: ({ mock, params: { lobby_id } }) => existing('server', lobby_id, mock.servers.restart(lobby_id)),
  }),
  call('POST /servers/{lobby_id}/kill', {
    summary:
      'Kills the game server of a lobby with its children, as if its machine had failed. Its lobby stops. A server that has ended stays as it is. Returns the server.',
    run: ({ mock, params: { lobby_id } }) => existing('server', lobby_id, mock.servers.kill(lobby_id)),
  }),
  call('PUT /client', {
    summary: 'Moves the player, in one change set. Distances and find follow. `null` means that the place is unknown.',
    body: z.strictObject({ location: Location.nullable() }),
    async run({ mock, body: { location } }) {
      setClientLocation(mock.world, location)
      return { location }
    },
  }),
  call('GET /simulation', {
    summary: 'Lists the simulations, with the number of players of each.',
    run: ({ mock }) => ({ simulations: listSimulations(mock.world.tables) }),
  }),
  call('PUT /simulation', {
    summary: 'Simulates players in a namespace from now on, in one change set. Absent fields get their defaults.',
    body: SimulationOptions(),
    run: ({ mock, body }) => simulate(mock.world, body),
  }),
  call('DELETE /simulation', {
    summary: 'Stops the simulation of a namespace. Its players leave when their sessions end.',
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
    summary: 'Creates lobbies in one change set. The `players` of a lobby may be a number of connected players.',
    body: NewLobbiesInput(),
    limits: scenarioLimits,
    run: ({ mock, body: { lobbies } }) => ({ lobbies: createLobbies(mock.world, lobbies) }),
  }),
  call('POST /new/player', {
    summary: 'Creates a player: by default in the newest open lobby with a free seat, or in a new one.',
    body: NewPlayerInput,
    run: ({ mock, body }) => createPlayer(mock.world, body),
  }),
  call('GET /{table}', {
    summary: 'Lists the records of a table. The query filters by any field: `game_mode_id=duel`, `state.map=Harbour`.',
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
    summary:
      'Creates a record from its fields, or from the keys of the scenario format. Absent fields get the defaults of that format.',
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

/** Marks a world of a server that refuses every change. */
function marked<Described extends object>(
  world: Described,
  isReadOnly: boolean,
): Described & { readonly read_only?: true } {
  return isReadOnly ? { ...world, read_only: true } : world
}

function worldsStream(worlds: ServedWorlds, isReadOnly: boolean): MockResponseInit {
  return stateStream<{ worlds: { worlds: readonly ListedWorld[] } }>(
    {
      read: () => ({ worlds: worlds.list().map(world => marked(world, isReadOnly)) }),
      subscribe: (mark, end) => worlds.changes.subscribe(isOpen => (isOpen ? mark('worlds', 'now') : end())),
    },
    ['worlds'],
    () => worlds.settled(),
  )
}

/** Runs work with a signal. It aborts when the client disconnects, and the promise rejects with `ClientGone`. */
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

/** Parses the id of a journal entry. Returns `NaN`, which no entry has, for any other text. */
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

/** Returns what was found. Throws `ApiError` for `undefined` and `false`. */
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
