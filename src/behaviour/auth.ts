import type { Behaviour } from './behaviour.js'

/** Tells which game a cloud token is of (PROTOCOL.md C). */
export const inspect: Behaviour<'auth.inspect'> = ({ caller }) => ({
  agent: { game_cloud: { game_id: caller.gameId } },
})
