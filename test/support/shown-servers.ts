import { mockOf } from '../../src/core/mock/facade.js'
import type { GameServerState } from '../../src/core/simulation/servers.js'
import type { Mockmaker } from '../../src/index.js'

/** Shows game servers that do not run. */
export function showServers(mock: Mockmaker, servers: readonly Partial<GameServerState>[]): void {
  const states = servers.map(
    (server): GameServerState => ({
      lobby_id: 'lobby',
      game_mode_id: 'duel',
      region_id: 'lnd-fra',
      command: './run',
      ports: {},
      started_at: '2026-11-20T20:00:00.000Z',
      status: 'ready',
      restarts: 0,
      lines: 0,
      last_lines: [],
      ...server,
    }),
  )
  const of = (id: string) => states.find(server => server.lobby_id === id)
  mockOf(mock, 'test').default.servers.runBy({
    list: () => states,
    get(id) {
      const server = of(id)
      return server && { ...server, log: server.last_lines, environment: { PORT: '7783' } }
    },
    restart: of,
    kill: of,
  })
}
