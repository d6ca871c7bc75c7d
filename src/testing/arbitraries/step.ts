import * as fc from 'fast-check'
import type { Client } from '../../client/client.js'
import type { OperationSpec } from '../../core/contract/operation.js'
import { type OperationId, operationIds, operations } from '../../core/contract/operations.js'
import { quoted, UsageError } from '../../core/lib/messages.js'
import { AbortController, TextEncoder, URLSearchParams } from '../../core/lib/real-globals.js'
import type { Mockmaker } from '../../core/mock/facade.js'
import { seatsTaken } from '../../core/store/lobby-rules.js'
import { lobbyTokenOf } from '../../core/store/tokens.js'
import { type GeneratedRequest, request } from './request.js'

/** A mock, or a client of one. */
export type SteppedMock = Mockmaker | Client

/** A command for `fc.commands`: it does one thing to a mock. `String(step)` says what. */
export interface Step {
  check(): boolean
  run(): Promise<void>
  toString(): string
}

interface Plan {
  readonly title: string
  run(mock: SteppedMock): Promise<string>
}

/** Operations that a step sends more often than the others. */
const frequent: { readonly [Id in OperationId]?: number } = {
  'lobbies.list': 3,
  'lobbies.find': 5,
  'lobbies.join': 5,
  'lobbies.create': 3,
  'players.connected': 3,
  'players.disconnected': 3,
}

/**
 * Generates commands that each do one legal thing to a mock: a request, a change of the world, or a move of its clock. What a
 * step does depends on the rows that exist when it runs, so it fits every world. A request that blocks is sent, and the step
 * ends. Throws `UsageError` if the value is no mock.
 */
export function step(mock: SteppedMock): fc.Arbitrary<Step> {
  if (typeof mock?.blocked !== 'function')
    throw new UsageError(`step expects a mock or a client, and got ${quoted(mock)}`)
  plans ??= fc.oneof(
    { weight: 1, arbitrary: clockMove },
    { weight: 3, arbitrary: worldChange },
    {
      weight: 6,
      arbitrary: fc.oneof(...operationIds.map(id => ({ weight: frequent[id] ?? 1, arbitrary: sentRequest(id) }))),
    },
  )
  return plans.map(plan => {
    let done: string | undefined
    return {
      check: () => true,
      async run() {
        done = undefined
        done = await plan.run(mock)
      },
      toString: () => done ?? plan.title,
    }
  })
}

/** The same for all mocks. Created with the first step, because it reads the whole contract. */
let plans: fc.Arbitrary<Plan> | undefined

const clockMove: fc.Arbitrary<Plan> = fc.constantFrom('1ms', '1s', '30s', '2m', '1h').map(by => ({
  title: `advance the clock by ${by}`,
  async run({ clock }) {
    await clock.advance(by)
    return this.title
  },
}))

function nth<Item>(items: readonly Item[], n: number): Item | undefined {
  return items[n % Math.max(1, items.length)]
}

const changes = [
  'create a lobby',
  'seat a player',
  'close or open a lobby',
  'set a state',
  'delete a lobby',
  'delete a player',
] as const

const worldChange: fc.Arbitrary<Plan> = fc
  .record({ title: fc.constantFrom(...changes), n: fc.nat(9), count: fc.nat(2), state: fc.jsonValue({ maxDepth: 1 }) })
  .map(({ title, n, count, state }) => ({
    title,
    async run(mock) {
      const { lobbies, players, gameModes } = mock.world
      const running = (await lobbies.all()).filter(({ status }) => status !== 'stopped')
      const lobby = nth(running, n)
      if (title === 'create a lobby') {
        // An outage may begin at any time.
        const outages = (await mock.faults.list()).map(({ region }) => region)
        const choices = (await gameModes.all()).flatMap(mode =>
          mode.regions.filter(id => !outages.includes(id)).map(region_id => ({ ...mode, region_id })),
        )
        const choice = nth(choices, n)
        if (!choice) return 'no region for a lobby'
        const { namespace_id, game_mode_id, region_id, max_players_normal } = choice
        const players = Math.min(count, max_players_normal)
        const made = await mock.lobby({ namespace_id, game_mode_id, region_id, players })
        return `create lobby ${made.lobby_id} with ${made.total_player_count} players`
      }
      if (title === 'seat a player') {
        const free = nth(
          running.filter(one => seatsTaken(one) < one.max_players_normal),
          n,
        )
        if (!free) return 'no free seat'
        await mock.player({ lobby_id: free.lobby_id })
        return `seat a player in lobby ${free.lobby_id}`
      }
      if (title === 'delete a player') {
        const player = nth(await players.all(), n)
        if (!player) return 'no player to delete'
        await players.delete(player.player_token)
        return `delete player ${player.player_token}`
      }
      if (!lobby) return 'no lobby to change'
      const { lobby_id, is_closed } = lobby
      if (title === 'delete a lobby') {
        await lobbies.delete(lobby_id)
        return `delete lobby ${lobby_id}`
      }
      await lobbies.update(lobby_id, title === 'set a state' ? { state } : { is_closed: !is_closed })
      return title === 'set a state'
        ? `set the state of lobby ${lobby_id}`
        : `${is_closed ? 'open' : 'close'} lobby ${lobby_id}`
    },
  }))

function sentRequest(id: OperationId): fc.Arbitrary<Plan> {
  const spec: OperationSpec = operations[id]
  return fc.tuple(request(id), fc.nat(9)).map(([generated, n]) => ({
    title: `send ${id}`,
    async run(mock) {
      const known = await knownIds(mock, n)
      const sent = {
        ...withKnownIds(generated, spec, known),
        headers: { ...generated.headers, ...tokenFor(spec, known) },
      }
      await send(mock, sent)
      return `${sent.method} ${sent.url}${sent.body === undefined ? '' : ` ${sent.body}`}`
    },
  }))
}

/** The id of an existing row for each field that names one, and a token for each kind: `token public`. */
type KnownIds = Readonly<Record<string, string | undefined>>

async function knownIds({ world }: SteppedMock, n: number): Promise<KnownIds> {
  const [lobbies, players, modes, games, links, tokens] = await Promise.all([
    world.lobbies.all(),
    world.players.all(),
    world.gameModes.all(),
    world.games.all(),
    world.deviceLinks.all(),
    world.tokens.all(),
  ])
  const mode = nth(modes, n)
  const lobby = nth(lobbies, n)
  const token = (kind: string) => tokens.find(one => one.kind === kind)?.token
  const cloud = tokens.find(one => one.kind === 'cloud')
  return {
    lobby_id: lobby?.lobby_id,
    player_token: nth(players, n)?.player_token,
    game_mode: mode?.game_mode_id,
    game_modes: mode?.game_mode_id,
    region: nth(mode?.regions ?? [], n),
    regions: nth(mode?.regions ?? [], n),
    game_id: cloud?.game_id ?? nth(games, n)?.game_id,
    namespace_id: mode?.namespace_id,
    device_link_token: nth(links, n)?.device_link_token,
    'token public': token('public'),
    'token cloud': cloud?.token,
    'token lobby': lobby && lobbyTokenOf(lobby.lobby_id),
  }
}

function tokenFor({ auth }: OperationSpec, known: KnownIds): Readonly<Record<string, string>> {
  if (auth === 'none') return {}
  const kind = auth === 'cloud' || auth === 'lobby' ? auth : 'public'
  const token = known[`token ${kind}`]
  return token === undefined ? {} : { authorization: `Bearer ${token}` }
}

function withKnownIds(generated: GeneratedRequest, { path }: OperationSpec, known: KnownIds): GeneratedRequest {
  const [pathname = '', query = ''] = generated.url.split('?')
  const segments = path.split('/')
  const filled = pathname
    .split('/')
    .map((segment, i) => {
      const id = known[/^\{(\w+)\}$/.exec(segments[i] ?? '')?.[1] ?? '']
      return id === undefined ? segment : encodeURIComponent(id)
    })
    .join('/')
  const parameters = new URLSearchParams(query)
  parameters.delete('watch_index')
  if (parameters.has('device_link_token') && known.device_link_token !== undefined)
    parameters.set('device_link_token', known.device_link_token)
  const { body, ...others } = generated
  return {
    ...others,
    url: parameters.size === 0 ? filled : `${filled}?${parameters}`,
    ...(body === undefined ? {} : { body: JSON.stringify(withKnownFields(JSON.parse(body), known)) }),
  }
}

function withKnownFields(body: unknown, known: KnownIds): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const fields = Object.entries(body).map(([name, value]) => {
    const id = known[name]
    if (id === undefined || value === null) return [name, value]
    return [name, Array.isArray(value) ? [id] : id]
  })
  return Object.fromEntries(fields)
}

async function send(mock: SteppedMock, sent: GeneratedRequest): Promise<void> {
  const end = new AbortController()
  const waiting = (await mock.journal.pending()).length
  const blocked = mock.blocked(waiting + 1, undefined, { signal: end.signal }).then(
    () => {},
    () => {},
  )
  const answered = 'answer' in mock ? answerOf(mock, sent) : fetchFrom(mock, sent)
  // It may end after the test.
  answered.catch(() => {})
  await Promise.race([answered, blocked])
  end.abort()
}

const encoder = new TextEncoder()

async function answerOf(mock: Mockmaker, { method, url, headers, body }: GeneratedRequest): Promise<void> {
  const [path = '', query] = url.split('?')
  await mock.answer({ method, path, query, headers, body: body === undefined ? undefined : encoder.encode(body) })
}

async function fetchFrom(client: Client, { method, url, headers, body }: GeneratedRequest): Promise<void> {
  const response = await fetch(client.url + url, { method, headers, ...(body === undefined ? {} : { body }) })
  await response.arrayBuffer()
}
