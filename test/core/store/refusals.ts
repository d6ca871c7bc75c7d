import { describe, expect, it, vi } from 'vitest'
import { UsageError } from '../../../src/core/lib/messages.js'
import type { TransactionTables } from '../../../src/core/store/world-tables.js'
import { dump, smallWorld } from '../../support/small-world.js'

/** A transaction that the small world refuses, and the message. */
type Refusal = [what: string, write: (tx: TransactionTables) => unknown, message: string | RegExp]

/** Updates the lobby l0 of the small world. */
export const setLobby = (values: object) => (tx: TransactionTables) => {
  tx.lobbies.update(q => q.where({ lobby_id: 'l0' }), { data: draft => void Object.assign(draft, values) })
}

/** Tests that the store refuses each transaction, and that nothing has changed. */
export function describeRefusals(refusals: Refusal[]): void {
  describe.each(refusals)('%s', (_what, write, message) => {
    it('is refused with a UsageError that says what and where', () => {
      const world = smallWorld()

      expect(() => world.transaction(write)).toThrow(typeof message === 'string' ? new UsageError(message) : message)
    })

    it('changes nothing', () => {
      const world = smallWorld()
      const before = dump(world)

      expect(() => world.transaction(write)).toThrow(UsageError)

      expect(dump(world)).toBe(before)
    })

    it('prints nothing', () => {
      const printed = (['error', 'warn', 'log', 'info', 'debug'] as const).map(method =>
        vi.spyOn(console, method).mockImplementation(() => {}),
      )

      expect(() => smallWorld().transaction(write)).toThrow(UsageError)

      const calls = printed.flatMap(spy => spy.mock.calls)
      for (const spy of printed) spy.mockRestore()
      expect(calls).toEqual([])
    })
  })
}
