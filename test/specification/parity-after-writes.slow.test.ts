import fc from 'fast-check'
import { describe, expect, inject, it } from 'vitest'
import { localEntryPoints, type OpenLocalMock } from '../support/entry-points.js'
import { comparable, type TestRequest } from '../support/http.js'
import { randomRead, randomWriteCall } from '../support/random-request.js'
import { play, type RandomWrite, randomWrite } from '../support/random-write.js'
import { tanks } from '../support/tanks.js'
import { live } from '../support/worlds.js'

type Step =
  | { readonly kind: 'ask'; readonly sent: TestRequest; readonly times: number }
  | { readonly kind: 'write'; readonly write: RandomWrite }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('ask' as const),
      sent: randomRead,
      times: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('write' as const), write: randomWrite }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('ask' as const), sent: randomWriteCall, times: fc.constant(1) }),
  },
)

/** The result of a step through one entry point. */
async function outcome(step: Step, { world, send }: OpenLocalMock): Promise<readonly unknown[]> {
  if (step.kind === 'write') return [await play(step.write, live(world)), world.revision]
  const got: unknown[] = []
  for (let i = 0; i < step.times; i++) got.push(comparable(await send(step.sent)))
  return got
}

describe('the in-process entry points', () => {
  it('answer with the same status, headers and bytes after the same writes, cached or not', async () => {
    const opened = await Promise.all(
      localEntryPoints.map(entryPoint => entryPoint.open(tanks, { publicUrl: 'http://links.test' })),
    )

    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20, size: 'max' }), async steps => {
        for (const { world } of opened) await live(world).reset()
        for (const step of steps) {
          const [first, ...others] = await Promise.all(opened.map(mock => outcome(step, mock)))

          for (const other of others) expect(other).toEqual(first)
        }
      }),
      { numRuns: Math.ceil(inject('runs') / 4) },
    )

    expect(opened).toHaveLength(4)
    await Promise.all(opened.map(one => one.close()))
  })
})
