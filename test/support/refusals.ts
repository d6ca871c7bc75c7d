import { describe, expect, it, vi } from 'vitest'
import { UsageError } from '../../src/lib/usage-error.js'
import type { Tables } from '../../src/store/table.js'
import { contents, smallWorld } from './small-world.js'

/** What a turn does that the store refuses, and the message. */
export type Refusal = [what: string, turn: (tables: Tables) => unknown, message: string | RegExp]

/** Changes the lobby l0 of the small world. */
export const setLobby = (values: object) => (tables: Tables) =>
  tables.lobbies.update(q => q.where({ lobby_id: 'l0' }), {
    data(draft) {
      Object.assign(draft, values)
    },
  })

/** What holds of everything that the store refuses. */
export function describeRefusals(refusals: Refusal[]): void {
  describe.each(refusals)('%s', (_what, turn, message) => {
    it('is refused with a UsageError that says what and where', async () => {
      const world = smallWorld()

      const write = world.write<unknown>(turn)

      await expect(write).rejects.toThrow(typeof message === 'string' ? new UsageError(message) : message)
    })

    it('changes nothing', async () => {
      const world = smallWorld()
      const before = [contents(world), world.revision, world.random.save()]

      await world.write<unknown>(turn).catch(() => {})

      expect([contents(world), world.revision, world.random.save()]).toEqual(before)
    })

    it('prints nothing', async () => {
      const printed = (['error', 'warn', 'log', 'info', 'debug'] as const).map(method =>
        vi.spyOn(console, method).mockImplementation(() => {}),
      )

      await smallWorld()
        .write<unknown>(turn)
        .catch(() => {})

      const calls = printed.flatMap(spy => spy.mock.calls)
      for (const spy of printed) spy.mockRestore()
      expect(calls).toEqual([])
    })
  })
}
