import { leave } from '../behaviour/players.js'
import { ApiError } from '../contract/errors.js'
import type { Join } from '../contract/lobbies.js'
import { isSeated } from '../store/rows.js'
import type { InnerTables } from '../store/table.js'
import type { LiveWorld, View } from '../store/world.js'
import type { AbortSignalLike } from './message.js'
import { checkRoom, waitFor } from './watch.js'

/** A request that has a seat. `signal` tells when its client goes away, and is called when the request blocks. */
interface Seated {
  readonly join: Join
  signal(): AbortSignalLike | undefined
}

interface LobbyWaitOptions {
  readonly world: LiveWorld
  /** The most requests that may be blocked in the world. */
  readonly maxWaiters: number
  /** Whether the mock is closed: then nothing waits. */
  isClosed(): boolean
}

/** Delays find, join and create until the lobby of their seat is ready (PROTOCOL.md C, Waiting). */
export class LobbyWait {
  readonly #options: LobbyWaitOptions
  /** How many requests will wait once their seat is committed. */
  #entering = 0

  constructor(options: LobbyWaitOptions) {
    this.#options = options
  }

  /**
   * Gives a seat in a transaction, and answers when the lobby of the seat is ready. Rejects with what the transaction
   * throws. Rejects with `MATCHMAKER_LOBBY_STOPPED` where the lobby stops first, or the world is replaced or closed. Gives
   * no seat, and rejects with `API_RATE_LIMIT`, where too many requests wait already.
   */
  async answer(
    write: (check: (join: Join, reads: InnerTables) => void) => Promise<Join>,
    { signal }: Pick<Seated, 'signal'>,
  ): Promise<Join> {
    const { world, maxWaiters } = this.#options
    let entered = false
    const leaveEntrance = () => {
      if (entered) this.#entering -= 1
      entered = false
    }
    try {
      const join = await write(({ lobby }, reads) => {
        if (reads.lobbies.get(lobby.lobby_id)?.status !== 'starting') return
        checkRoom(world.waiting.size + this.#entering, maxWaiters)
        this.#entering += 1
        entered = true
      })
      if (!entered) return join
      leaveEntrance()
      return await this.#whenReady({ join, signal })
    } finally {
      leaveEntrance()
    }
  }

  async #whenReady(seated: Seated): Promise<Join> {
    const { world, isClosed } = this.#options
    const { join } = seated
    const isReady = () => world.read(view => isLobbyReady(join, view))
    const ready = await waitFor(seated, {
      world,
      read: isReady,
      readAgain: isReady,
      isAnswer: (_, { value }) => value,
      signal: ({ signal }) => signal(),
      timeoutMs: () => (isClosed() ? 0 : Number.POSITIVE_INFINITY),
      maxWaiters: Number.POSITIVE_INFINITY,
      abandon: () => this.#freeSeat(join),
    })
    if (ready) return join
    throw stopped(join)
  }

  async #freeSeat({ player: { token } }: Join): Promise<void> {
    const { world } = this.#options
    await world.write((_, writes) => {
      const player = writes.reads.players.get(token)
      if (player && isSeated(player)) leave(player, { writes, now: world.clock.now() })
    })
  }
}

/** Throws `ApiError` where the lobby has stopped, or the seat is gone. */
function isLobbyReady(join: Join, { tables }: View): boolean {
  const lobby = tables.lobbies.get(join.lobby.lobby_id)
  if (!lobby || lobby.status === 'stopped') throw stopped(join)
  if (lobby.status === 'starting') return false
  const player = tables.players.get(join.player.token)
  if (player && isSeated(player)) return true
  throw new ApiError(
    'MATCHMAKER_PLAYER_REMOVED',
    'the seat was taken away while the request waited for the lobby: find, join or create gives another one',
  )
}

function stopped({ lobby }: Join): ApiError {
  return new ApiError(
    'MATCHMAKER_LOBBY_STOPPED',
    `lobby ${lobby.lobby_id} has stopped before its server called POST /matchmaker/lobbies/ready: find and create lead to others`,
  )
}
