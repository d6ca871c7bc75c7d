import { fc, it } from '@fast-check/vitest'
import { describe, expect, inject } from 'vitest'
import type { Join } from '../../../src/core/contract/lobbies.js'
import { models } from '../../../src/core/store/models.js'
import { lobbyTokenOf } from '../../../src/core/store/tokens.js'
import { createMockmaker, type Mockmaker } from '../../../src/index.js'
import { flushPromises } from '../../support/worlds.js'
import { limits, MatchmakerModel, type ModeId, modes, type Outcome, regionIds } from './matchmaker-model.js'

/** Calls of a lobby's server about the lobby. */
interface Said {
  readonly does: 'say'
  readonly what: 'ready' | 'close' | 'open'
  readonly lobby: number
}

/** Calls of a lobby's server about a player. */
interface Moved {
  readonly does: 'move'
  readonly how: 'connect' | 'disconnect'
  readonly player: number
  readonly lobby: number | 'own'
}

/** Commands for the matchmaker. A number picks one of all lobbies or players so far. */
type Action =
  | { readonly does: 'find'; readonly modes: readonly ModeId[]; readonly mayCreate: boolean; readonly address: string }
  | { readonly does: 'join'; readonly lobby: number; readonly address: string }
  | {
      readonly does: 'create'
      readonly mode: ModeId
      readonly region: string
      readonly publicity: 'public' | 'private' | undefined
      readonly address: string
    }
  | Said
  | Moved
  | { readonly does: 'leave'; readonly player: number }
  | { readonly does: 'advance'; readonly ms: number }
  | { readonly does: 'reset' }

const minute = 60_000
const mode = fc.constantFrom<ModeId>('duel', 'ffa')
const address = fc.constantFrom('203.0.113.1', '203.0.113.2', '2001:db8::7')
const some = fc.nat(9)
const does = <Word extends Action['does']>(word: Word) => fc.constant(word)

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      does: does('find'),
      modes: fc.oneof(
        { weight: 9, arbitrary: fc.subarray<ModeId>(['duel', 'ffa'], { minLength: 1 }) },
        fc.constant([]),
      ),
      mayCreate: fc.boolean(),
      address,
    }),
  },
  { weight: 4, arbitrary: fc.record({ does: does('join'), lobby: some, address }) },
  {
    weight: 3,
    arbitrary: fc.record({
      does: does('create'),
      mode,
      region: fc.constantFrom(...regionIds),
      publicity: fc.constantFrom('public', 'private', undefined),
      address,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ does: does('say'), what: fc.constantFrom('ready', 'close', 'open'), lobby: some }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      does: does('move'),
      how: fc.constantFrom('connect', 'connect', 'disconnect'),
      player: some,
      lobby: fc.oneof({ weight: 4, arbitrary: fc.constant('own' as const) }, some),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      does: does('advance'),
      ms: fc.constantFrom(
        0,
        1,
        1_999,
        2_000,
        minute,
        2 * minute - 1,
        2 * minute,
        5 * minute,
        30 * minute,
        60 * minute,
        480 * minute,
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: does('leave'), player: some }) },
  { weight: 1, arbitrary: fc.record({ does: does('reset') }) },
)

const listed = [
  { id: 'listed-duel', mode: 'duel', region: 'lnd-fra', counted: 1 },
  { id: 'listed-ffa', mode: 'ffa', region: 'lnd-syd', counted: 0 },
] as const

function opened(servers: 'auto' | 'manual'): Mockmaker {
  return createMockmaker({
    scenario: {
      now: '2026-11-20T20:00:00Z',
      clock: 'frozen',
      servers,
      regions: [...regionIds],
      matchmaker: { lobby_count_max: limits.lobbies, max_players_per_client: limits.fromSource },
      tokens: { public: 'pub.mock' },
      game_modes: Object.entries(modes).map(([game_mode_id, max_players]) => ({ game_mode_id, max_players })),
      lobbies: listed.map(({ id, mode, region, counted }) => ({
        lobby_id: id,
        game_mode_id: mode,
        region_id: region,
        total_player_count: counted,
      })),
    },
  })
}

function createModel(servers: 'auto' | 'manual'): MatchmakerModel {
  const model = new MatchmakerModel(servers)
  for (const { id, ...lobby } of listed) model.list(id, lobby)
  return model
}

interface Asked {
  readonly method: string
  readonly path: string
  readonly token?: string
  readonly address?: string
  readonly body?: object
  readonly signal?: AbortSignal
}

async function ask(mock: Mockmaker, asked: Asked): Promise<unknown> {
  const { method, path, token = 'pub.mock', address, body, signal } = asked
  const answer = await mock.answer({
    method,
    path: `/matchmaker${path}`,
    headers: { authorization: `Bearer ${token}`, ...(address === undefined ? {} : { 'x-forwarded-for': address }) },
    body: body && new TextEncoder().encode(JSON.stringify(body)),
    signal: () => signal,
  })
  // The client has disconnected.
  if (answer.status === 499) return { refused: 'gone' }
  const said = JSON.parse(new TextDecoder().decode(answer.body))
  return answer.status === 200 ? said : { refused: said.code }
}

/** A call that waits for its lobby, with its client and its answer so far. */
interface Wait {
  readonly client: AbortController
  answered: string | undefined
}

/** The data of a requested seat. */
interface Seated {
  readonly outcome: Outcome
  readonly mode: ModeId | undefined
  readonly region: string
  readonly isPublic: boolean
  readonly address: string
}

/** A mock and its model, which get the same commands. */
class Twins {
  readonly mock: Mockmaker
  model: MatchmakerModel
  /** All lobbies and players so far, deleted ones too. */
  #lobbies = listed.map(({ id }): string => id)
  #players: { readonly token: string; readonly lobby: string }[] = []
  /** Calls that have waited for a lobby, by the token of their seat. */
  readonly #waiting = new Map<string, Wait>()

  constructor(readonly servers: 'auto' | 'manual') {
    this.mock = opened(servers)
    this.model = createModel(servers)
  }

  /** Runs a command in both, and returns both results. */
  async do(action: Action): Promise<readonly [got: unknown, expected: unknown]> {
    const { mock, model } = this
    if (action.does === 'reset') {
      await mock.reset()
      await flushPromises()
      const ended = [...this.#waiting.values()].map(({ answered }) => answered)
      expect(ended).not.toContain(undefined)
      this.#waiting.clear()
      this.model = createModel(this.servers)
      return [undefined, undefined]
    }
    if (action.does === 'advance') {
      model.advance(action.ms)
      return [await mock.world.clock.advance(action.ms), undefined]
    }
    if (action.does === 'find') {
      const { modes: game_modes, mayCreate, address } = action
      const body = { game_modes, prevent_auto_create_lobby: !mayCreate }
      const got = await this.#askSeat({ method: 'POST', path: '/lobbies/find', address, body })
      return this.#seated(got, {
        outcome: model.find(action),
        mode: game_modes[0],
        region: regionIds[0],
        isPublic: true,
        address,
      })
    }
    if (action.does === 'create') {
      const { mode, region, publicity, address } = action
      const got = await this.#askSeat({
        method: 'POST',
        path: '/lobbies/create',
        address,
        body: { game_mode: mode, region, publicity },
      })
      return this.#seated(got, {
        outcome: model.create(address),
        mode,
        region,
        isPublic: publicity === 'public',
        address,
      })
    }
    if (action.does === 'join') {
      const lobby_id = this.#lobby(action.lobby)
      const { address } = action
      const got = await this.#askSeat({ method: 'POST', path: '/lobbies/join', address, body: { lobby_id } })
      return this.#seated(got, {
        outcome: model.join(lobby_id, address),
        mode: undefined,
        region: '',
        isPublic: true,
        address,
      })
    }
    if (action.does === 'leave') {
      const { token = '' } = this.#players[action.player % Math.max(1, this.#players.length)] ?? {}
      model.leave(token)
      this.#waiting.get(token)?.client.abort()
      await flushPromises()
      return [undefined, undefined]
    }
    return action.does === 'say' ? this.#say(action) : this.#move(action)
  }

  /** Requests a seat. If the answer waits for the lobby, returns the reserved seat. */
  async #askSeat(asked: Asked): Promise<unknown> {
    const { world } = this.mock
    const before = world.waiters
    const client = new AbortController()
    const wait: Wait = { client, answered: undefined }
    const answer = ask(this.mock, { ...asked, signal: client.signal }).then(got => {
      wait.answered = typeof got === 'object' && got !== null && 'refused' in got ? String(got.refused) : 'seat'
      return got
    })
    await flushPromises()
    if (world.waiters === before) return answer
    const { player_token: token = '', lobby_id = '' } = world.players.all().at(-1) ?? {}
    this.#waiting.set(token, wait)
    return { lobby: { lobby_id }, player: { token } }
  }

  async #say({ what, lobby }: Said) {
    const id = this.#lobby(lobby)
    const token = lobbyTokenOf(id)
    const refused = this.model.say(id, what)
    const got =
      what === 'ready'
        ? await ask(this.mock, { method: 'POST', path: '/lobbies/ready', token })
        : await ask(this.mock, { method: 'PUT', path: '/lobbies/closed', token, body: { is_closed: what === 'close' } })
    return [got, refused === undefined ? {} : { refused }] as const
  }

  async #move({ how, player, lobby }: Moved) {
    const one = this.#players[player % Math.max(1, this.#players.length)]
    const id = lobby === 'own' ? (one?.lobby ?? this.#lobby(0)) : this.#lobby(lobby)
    const player_token = one?.token ?? 'player.mock.nobody'
    const got = await ask(this.mock, {
      method: 'POST',
      path: `/players/${how}ed`,
      token: lobbyTokenOf(id),
      body: { player_token },
    })
    const refused = this.model[how](id, player_token)
    return [got, refused === undefined ? {} : { refused }] as const
  }

  /** Tells the model the ids of a new lobby and a new player. */
  #seated(got: unknown, { outcome, mode, region, isPublic, address }: Seated): readonly [unknown, unknown] {
    if ('refused' in outcome) return [got, outcome]
    if (typeof got === 'object' && got !== null && 'refused' in got) return [got, outcome]
    const { lobby, player } = got as Join // it was not refused
    // After a reset, the seed gives the same ids again.
    const isNew = this.model.lobbies.every(({ id }) => id !== lobby.lobby_id)
    if (outcome.seat === 'new' && isNew && mode !== undefined) {
      this.model.made(lobby.lobby_id, { mode, region, isPublic })
      this.#lobbies.push(lobby.lobby_id)
    }
    this.model.seated(player.token, { id: lobby.lobby_id, address })
    this.#players.push({ token: player.token, lobby: lobby.lobby_id })
    return [isNew ? 'new' : lobby.lobby_id, outcome.seat]
  }

  #lobby(n: number): string {
    return this.#lobbies[n % this.#lobbies.length] as string // there are always some
  }

  /** All visible data of lobbies and players, from the mock. */
  async shown() {
    const { lobbies } = (await ask(this.mock, { method: 'GET', path: '/lobbies/list' })) as {
      lobbies: { lobby_id: string; total_player_count: number }[]
    }
    const { player_count } = (await ask(this.mock, { method: 'GET', path: '/players/statistics' })) as {
      player_count: number
    }
    const { world } = this.mock
    await flushPromises()
    const known = (token: string) => this.model.players.some(player => player.token === token)
    return {
      waiters: world.waiters,
      answered: Object.fromEntries(
        [...this.#waiting].filter(([token]) => known(token)).map(([token, { answered }]) => [token, answered]),
      ),
      listed: lobbies.map(({ lobby_id, total_player_count }) => ({ id: lobby_id, connected: total_player_count })),
      player_count,
      lobbies: world.lobbies.all().map(lobby => ({
        id: lobby.lobby_id,
        status: lobby.status,
        runBy: lobby.run_by,
        connected: lobby.total_player_count,
        reserved: lobby.reserved_player_count,
      })),
      players: Object.fromEntries(world.players.all().map(({ player_token, status }) => [player_token, status])),
    }
  }

  /** The same data, from the model. */
  expected(): Awaited<ReturnType<Twins['shown']>> {
    const { model } = this
    const connected = (lobby: (typeof model.lobbies)[number]) => model.connected(lobby)
    return {
      waiters: model.waiters,
      answered: Object.fromEntries(
        model.players.filter(({ token }) => this.#waiting.has(token)).map(({ token, answered }) => [token, answered]),
      ),
      listed: model.lobbies
        .filter(lobby => lobby.status !== 'stopped' && !lobby.isClosed && lobby.isPublic)
        .map(lobby => ({ id: lobby.id, connected: connected(lobby) })),
      player_count: model.lobbies.reduce((sum, lobby) => sum + connected(lobby) + model.reserved(lobby), 0),
      lobbies: model.lobbies.map(lobby => ({
        id: lobby.id,
        status: lobby.status,
        runBy: lobby.runBy,
        connected: connected(lobby),
        reserved: model.reserved(lobby),
      })),
      players: Object.fromEntries(model.players.map(({ token, status }) => [token, status])),
    }
  }
}

describe.each(['auto', 'manual'] as const)('lobbies and players with %s servers', servers => {
  it.prop([fc.array(action, { maxLength: 22, size: 'max' })], { numRuns: inject('runs') })(
    'follow the model through any sequence of commands',
    async actions => {
      const twins = new Twins(servers)
      for (const action of actions) {
        const [got, expected] = await twins.do(action)
        expect(got).toEqual(expected)
        expect(await twins.shown()).toEqual(twins.expected())
      }
      // The store does not check the rows that jobs write.
      for (const row of twins.mock.world.lobbies.all()) expect(models.lobbies.schema.parse(row)).toEqual(row)
      for (const row of twins.mock.world.players.all()) expect(models.players.schema.parse(row)).toEqual(row)
      await twins.mock.close()
    },
  )
})
