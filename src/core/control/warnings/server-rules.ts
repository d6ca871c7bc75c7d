import { counted } from '../../lib/messages.js'
import type { ServerEvent } from '../../simulation/servers.js'
import { RecentMap } from './recent-map.js'
import type { Mistake, Observers, Rule, WarningFacts } from './warning.js'

// The rules about the processes that the mock has started as game servers.

/** Names a game server, as its lines of output do. */
function serverName({ game_mode_id, lobby_id }: ServerEvent): string {
  return `The game server of ${game_mode_id} ${lobby_id.slice(0, 8)}`
}

/**
 * Watches the servers of a world: `mistakesOf` returns the facts of an event, and what else tells its mistakes apart. Lobbies of one
 * game mode run the same program, so their mistakes are one warning.
 */
function observeServers<Facts>(
  report: (mistake: Mistake<Facts>) => void,
  mistakesOf: (event: ServerEvent) => readonly Pick<Mistake<Facts>, 'facts' | 'key'>[],
): Observers {
  /** The requests by which the servers have called ready, by lobby. */
  const readyCalls = new RecentMap<number>()
  return {
    exchange({ exchange: { id, operation, status, caller } }) {
      if (operation === 'lobbies.ready' && status === 200 && caller?.kind === 'lobby')
        readyCalls.set(caller.lobbyId, id)
    },
    server(event) {
      const { lobby_id, game_mode_id } = event
      const players = event.kind === 'ended' ? { players: event.players } : {}
      const requests = [readyCalls.get(lobby_id) ?? []].flat()
      for (const { key, facts } of mistakesOf(event))
        report({ key: `${game_mode_id} ${key}`, facts, subject: { lobby_id, game_mode_id, ...players }, requests })
    },
  }
}

/** Returns the mistakes of a server that has called ready. */
function deadPortsOf(event: ServerEvent, { isElsewhere }: { readonly isElsewhere: boolean }) {
  if (event.kind !== 'dead ports' || event.listening.length > 0 !== isElsewhere) return []
  const { dead, listening } = event
  return dead.map(one => ({ key: one.variable, facts: { server: serverName(event), ...one, listening } }))
}

export const deadPort: Rule<WarningFacts['dead port']> = {
  sentence: ({ server, port }) =>
    `${server} called ready, and nothing listens on port ${port}, to which its seats lead.`,
  advice: ({ variable }) => `Let it listen on the port in ${variable} before it calls ready.`,
  observe: report => observeServers(report, event => deadPortsOf(event, { isElsewhere: false })),
}

export const wrongPort: Rule<WarningFacts['wrong port']> = {
  sentence: ({ server, port, listening }) =>
    `${server} listens on port ${listening.join(', ')}, and its seats lead to port ${port}.`,
  advice: ({ variable, listening: [own = 0] }) =>
    `Let it listen on the port in ${variable}. If its port cannot change, write fixed: ${own} for that port in the scenario.`,
  observe: report => observeServers(report, event => deadPortsOf(event, { isElsewhere: true })),
}

export const endedDirty: Rule<WarningFacts['server ended dirty']> = {
  sentence: ({ server, exit, players }) =>
    `${server} ${exit}, with ${counted(players, 'player', 'players')} in its lobby.`,
  advice: () =>
    'Before it exits, let it call players/disconnected for each player. After a crash, read its last lines.',
  observe: report =>
    observeServers(report, event => {
      if (event.kind !== 'ended') return []
      const { exit, players } = event
      return [{ key: '', facts: { server: serverName(event), exit, players: players.length } }]
    }),
}

export const bufferedOutput: Rule<WarningFacts['buffered output']> = {
  sentence: ({ server }) => `${server} has been ready for 4 s, and has written nothing: its output may be buffered.`,
  advice: () => 'Let it flush each line. If it is silent, let it write a line when it is ready, or turn this rule off.',
  observe: report =>
    observeServers(report, event =>
      event.kind === 'silent' ? [{ key: '', facts: { server: serverName(event) } }] : [],
    ),
}
