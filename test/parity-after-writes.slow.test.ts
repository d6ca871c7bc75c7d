import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { comparable, type Door, doors, listenDoor, type Opened, type Sent } from './doors.js'
import { randomRead, randomWriteCall } from './random-exchange.js'
import { play, type RandomWrite, randomWrite } from './random-write.js'
import { live } from './server/ask.js'
import { tanks } from './tanks.js'

type Step =
  | { readonly kind: 'ask'; readonly sent: Sent; readonly times: number }
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

type OpenedHere = Required<Pick<Opened, 'world'>> & Opened

const withWorld = (opened: Opened): opened is OpenedHere => opened.world !== undefined

/** A mock behind each door whose world is of this process; the command's is not, and its server is the listening one. */
async function openHere(): Promise<readonly OpenedHere[]> {
  const here: readonly Door[] = [listenDoor, ...doors.slice(0, -1)]
  const opened = await Promise.all(here.map(door => door.open(tanks, { publicUrl: 'http://links.test' })))
  return opened.filter(withWorld)
}

/** What comes of a step behind a door. */
async function outcome(step: Step, { world, send }: OpenedHere): Promise<readonly unknown[]> {
  if (step.kind === 'write') return [await play(step.write, live(world)), world.revision]
  const got: unknown[] = []
  for (let i = 0; i < step.times; i++) got.push(comparable(await send(step.sent)))
  return got
}

describe('the doors of this process', () => {
  it('answer with the same status, headers and bytes, kept or not, after the same writes to their worlds', async () => {
    const opened = await openHere()

    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20, size: 'max' }), async steps => {
        for (const { world } of opened) await live(world).reset()
        for (const step of steps) {
          const [first, ...others] = await Promise.all(opened.map(door => outcome(step, door)))

          for (const other of others) expect(other).toEqual(first)
        }
      }),
      { numRuns: 150 },
    )

    expect(opened).toHaveLength(4)
    await Promise.all(opened.map(one => one.close()))
  })
})
