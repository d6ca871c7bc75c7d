import { mockOf } from '../../src/core/mock/facade.js'
import type { Mockmaker } from '../../src/index.js'

/** Lets a mock warn of a game server that has written nothing, as often as this is called. */
export function warn(mock: Mockmaker): void {
  const event = { kind: 'silent', lobby_id: '8f2c41aa-0000', game_mode_id: 'duel', region_id: 'nowhere' } as const
  mockOf(mock, 'test').default.servers.events.emit(event)
}

/** What the mock says then, after the name of the rule and the count. */
export const warned =
  'The game server of duel in nowhere has been ready for 4 s, and has written nothing: its output may be buffered. Let it flush each line. If it is silent, let it write a line when it is ready, or turn this rule off.'
