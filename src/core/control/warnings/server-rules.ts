import { counted } from '../../lib/messages.js'
import type { ServerEvent } from '../../simulation/servers.js'
import { RecentMap } from './recent-map.js'
import { lobbyText } from './seat-rules.js'
import type { Observers, Rule, WarningFacts, WarningSubject, WatchedWorld } from './warning.js'

// The rules about the processes that the mock has started as game servers. Those of one game mode run the same program, so their
// mistakes are one warning.

function subjectOf({ lobby_id, game_mode_id }: ServerEvent): WarningSubject {
  return { lobby_id, game_mode_id }
}

function serverText(event: ServerEvent, { world }: WatchedWorld): string {
  return `The game server of ${lobbyText(event, world)}`
}

/** Watches the ports of servers that call ready. `isElsewhere`: those that listen on other ports. */
function observePorts(
  report: Parameters<Rule<WarningFacts['dead port']>['observe']>[0],
  watched: WatchedWorld,
  { isElsewhere }: { readonly isElsewhere: boolean },
): Observers {
  /** The requests by which the servers have called ready, by lobby. */
  const readyCalls = new RecentMap<number>()
  return {
    exchange({ exchange: { id, operation, caller } }) {
      if (operation === 'lobbies.ready' && caller?.kind === 'lobby') readyCalls.set(caller.lobbyId, id)
    },
    server(event) {
      if (event.kind !== 'dead ports' || event.listening.length > 0 !== isElsewhere) return
      const { dead, listening, lobby_id, game_mode_id } = event
      const requests = [readyCalls.get(lobby_id) ?? []].flat()
      for (const { port, variable } of dead) {
        const facts = { who: serverText(event, watched), port, variable, listening }
        report({ key: `${game_mode_id} ${variable}`, facts, subject: subjectOf(event), requests })
      }
    },
  }
}

export const deadPort: Rule<WarningFacts['dead port']> = {
  sentence: ({ who, port }) => `${who} called ready, and nothing listens on port ${port}, to which its seats lead`,
  advice: ({ variable }) => `Let it listen on the port in ${variable} before it calls ready.`,
  observe: (report, watched) => observePorts(report, watched, { isElsewhere: false }),
}

export const wrongPort: Rule<WarningFacts['wrong port']> = {
  sentence: ({ who, port, listening }) =>
    `${who} listens on port ${listening.join(', ')}, and its seats lead to port ${port}`,
  advice: ({ variable, listening: [own = 0] }) =>
    `Let it listen on the port in ${variable}. If its port cannot change, write fixed: ${own} for that port in the scenario.`,
  observe: (report, watched) => observePorts(report, watched, { isElsewhere: true }),
}

export const endedDirty: Rule<WarningFacts['server ended dirty']> = {
  sentence: ({ who, exit, players }) => `${who} ${exit}, with ${counted(players, 'player', 'players')} in its lobby`,
  advice: ({ isCrash }) =>
    isCrash
      ? 'Read the last lines that it wrote.'
      : 'Before it exits, let it call players/disconnected for each player.',
  observe: (report, watched) => ({
    server(event) {
      if (event.kind !== 'ended') return
      const { exit, isCrash, players } = event
      const facts = { who: serverText(event, watched), exit, isCrash, players: players.length }
      report({ key: event.game_mode_id, facts, subject: { ...subjectOf(event), players }, requests: [] })
    },
  }),
}

export const bufferedOutput: Rule<WarningFacts['buffered output']> = {
  sentence: ({ who }) => `${who} has been ready for 4 s, and has written nothing: its output may be buffered`,
  advice: () => 'Let it flush each line. If it is silent, let it write a line when it is ready, or turn this rule off.',
  observe: (report, watched) => ({
    server(event) {
      if (event.kind !== 'silent') return
      const facts = { who: serverText(event, watched) }
      report({ key: event.game_mode_id, facts, subject: subjectOf(event), requests: [] })
    },
  }),
}
