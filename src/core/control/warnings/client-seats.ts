import type { RecordedExchange } from '../../pipeline/journal.js'
import type { ChangeSet } from '../../store/change-set.js'
import type { ClientSeat, SeatEvent } from './warning.js'

const mostUnanswered = 10_000

/** Follows the seats that requests of clients have taken, until they end. */
export class ClientSeats {
  /** By token. */
  readonly #open = new Map<string, ClientSeat>()
  /** The seats whose requests are not answered yet, by the revision. */
  readonly #unanswered = new Map<number, ClientSeat>()

  constructor(private readonly emit: (event: SeatEvent) => void) {}

  addChange({ changes, cause, at, revision }: ChangeSet): void {
    for (const { table, id, before, after } of changes) {
      if (table !== 'players') continue
      const row = after?.row
      if (!before && row?.status === 'reserved' && cause.kind === 'request') {
        const seat: ClientSeat = { token: id, lobby_id: row.lobby_id, address: row.address, at }
        this.#open.set(id, seat)
        // Without a journal, no request is ever answered.
        if (this.#unanswered.size >= mostUnanswered) this.#unanswered.clear()
        this.#unanswered.set(revision, seat)
        continue
      }
      const seat = this.#open.get(id)
      if (!seat || row?.status === 'reserved') continue
      this.#open.delete(id)
      if (row?.status === 'expired' || row?.status === 'connected') this.emit({ kind: row.status, seat })
    }
  }

  addExchange({ revisions, status, id }: RecordedExchange): void {
    for (const revision of revisions ?? []) {
      const seat = this.#unanswered.get(revision)
      if (!seat) continue
      this.#unanswered.delete(revision)
      seat.request = id
      if (status === 200) this.emit({ kind: 'answered', seat })
    }
  }
}
