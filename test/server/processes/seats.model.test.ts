import { fc, it } from '@fast-check/vitest'
import { describe, expect, inject } from 'vitest'
import { runAtOnce } from '../../../src/core/lib/steps.js'
import { stopLobby } from '../../../src/core/operations/game-server.js'
import type { LobbyRow } from '../../../src/core/store/matchmaker-rows.js'
import { lobbyTokenOf } from '../../../src/core/store/tokens.js'
import { commanded, manage, settled } from './fake-game-servers.js'

/** Actions of clients, servers and the system. Those of one batch happen in one turn. `nth` counts lobbies or processes. */
const action = fc.record({
  kind: fc.constantFrom(
    'find',
    'create',
    'join',
    'ready',
    'exit',
    'stop',
    'delete',
    'advance',
    'stop when ready',
    'refuse',
    'keep',
    'restore',
    'fork',
    'find in the fork',
    'ready in the fork',
  ),
  nth: fc.nat(5),
})
const batches = fc.array(fc.array(action, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 10 })

const refusals = /^MATCHMAKER_LOBBY_(STOPPED|NOT_FOUND|FULL)$|^MATCHMAKER_PLAYER_REMOVED$|^API_NOT_FOUND$/

/** The port of a server that the mock has not started. */
const byHand = 7777

type Mock = ReturnType<typeof manage>['mock']

function stop({ default: { world, clock } }: Mock, lobby: LobbyRow | undefined): void {
  if (lobby && lobby.status !== 'stopped')
    world.write(() => stopLobby(lobby, world.tables, clock.now()), { cause: { kind: 'code' } })
}

describe('a seat', () => {
  it.prop([batches], { numRuns: inject('runs') })(
    'is only answered while its lobby is ready, and leads to its process, whatever starts, stops, fails, and comes back',
    async steps => {
      let stopsWhenReady = false
      let refuses = false
      const game_modes = [{ game_mode_id: 'duel', max_players: 2 }]
      const { mock, close, processes, post, ready } = manage({ ...commanded, game_modes }, () => refuses)
      const { tables } = mock.default.world
      /** The ready lobbies at the moment of each answer. */
      const readyAt = new Map<string, ReadonlySet<string>>()
      mock.log.subscribe(({ rayId, world }) => {
        const { tables } = mock.worlds.get(world ?? 'default')?.world ?? mock.default.world
        const lobbies = tables.lobbies.all().filter(({ status }) => status === 'ready')
        readyAt.set(rayId, new Set(lobbies.map(({ lobby_id }) => lobby_id)))
      })
      mock.default.world.subscribe(({ changes }) => {
        for (const change of changes)
          if (stopsWhenReady && change.table === 'lobbies' && change.after?.row.status === 'ready')
            stop(mock, change.after.row)
      })
      const nthLobby = (nth: number) => {
        const lobbies = tables.lobbies.all()
        return lobbies[nth % Math.max(1, lobbies.length)]
      }
      const seats: ReturnType<typeof post>[] = []
      const forkSeats: ReturnType<typeof post>[] = []
      const snapshots = [runAtOnce(mock.default.snapshot())]
      const act: Record<string, (nth: number) => unknown> = {
        find: () => seats.push(post('/matchmaker/lobbies/find', { game_modes: ['duel'] })),
        create: () => seats.push(post('/matchmaker/lobbies/create', { game_mode: 'duel' })),
        join: nth => seats.push(post('/matchmaker/lobbies/join', { lobby_id: nthLobby(nth)?.lobby_id ?? 'none' })),
        ready: nth => ready(nthLobby(nth)?.lobby_id ?? 'none'),
        exit: nth => processes[nth]?.exit({ code: nth }),
        stop: nth => stop(mock, nthLobby(nth)),
        delete: nth =>
          mock.default.world.lobbies.deleteMany(q => q.where({ lobby_id: nthLobby(nth)?.lobby_id ?? 'none' })),
        advance: nth => mock.default.clock.advance(nth * 60_000),
        'stop when ready': nth => {
          stopsWhenReady = nth > 3
        },
        refuse: nth => {
          refuses = nth > 2
        },
        keep: () => snapshots.unshift(runAtOnce(mock.default.snapshot())),
        restore: nth => mock.default.restore(snapshots[nth % snapshots.length] ?? {}),
        fork: () => mock.worlds.put('fork', { fork: 'default' }),
        'find in the fork': () => forkSeats.push(post('/w/fork/matchmaker/lobbies/find', { game_modes: ['duel'] })),
        'ready in the fork': nth =>
          post(
            '/w/fork/matchmaker/lobbies/ready',
            {},
            { authorization: `Bearer ${lobbyTokenOf(nthLobby(nth)?.lobby_id ?? 'none')}` },
          ),
      }

      for (const batch of steps) {
        for (const { kind, nth } of batch) void act[kind]?.(nth)
        await settled()
      }
      await mock.default.reset()

      await close()

      for (const [world, answers] of [
        ['', seats],
        ['/w/fork', forkSeats],
      ] as const)
        for (const { status, rayId, json } of await Promise.all(answers)) {
          if (status === 200) {
            expect(readyAt.get(rayId ?? '')).toContain(json.lobby.lobby_id)
            const { port } = json.ports.default ?? {}
            const { env } = processes.find(one => one.env.PORT_default === `${port}`) ?? {}
            // Somebody may have called ready before the process had its port.
            if (port !== byHand)
              expect(env).toMatchObject({
                RIVET_LOBBY_ID: json.lobby.lobby_id,
                MOCKMAKER_URL: `http://127.0.0.1:4100${world}`,
              })
          } else expect(json.code).toMatch(refusals)
        }
    },
  )
})
