import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { checkFunctionClient } from '../../src/lab/index.js'
import type { LabCheckName, LabClient, LabReport } from '../../src/lab/lab.js'
import { watchClient } from './watch-clients.js'

/** Shorter than those of users. */
const patience = { holdMs: 1_500, deadMs: 6_000 }
/** A right client here: it waits longer than an answer may take, and leaves a dead connection in time. */
const timeoutMs = 4_000

/** A client that is wrong in one way, and the checks that it fails: its own first. */
interface WrongClient {
  readonly client: LabClient
  readonly fails: readonly [LabCheckName, ...LabCheckName[]]
  readonly grade: 'B' | 'C'
}

const right = watchClient({ timeoutMs })

const wrongClients: Readonly<Record<string, WrongClient>> = {
  'reads indexes as numbers': {
    client: watchClient({ timeoutMs, index: index => index && String(Number(index)) }),
    fails: ['opaque index'],
    grade: 'C',
  },
  'keeps its first index': {
    client: watchClient({ timeoutMs, index: (index, before) => before ?? index }),
    fails: ['newest index', 'index goes back'],
    grade: 'C',
  },
  'sleeps for 3 s after a timeout': {
    client: watchClient({ timeoutMs, lateMs: 3_000 }),
    fails: ['timeout'],
    grade: 'C',
  },
  'takes a wake as the end': {
    client: watchClient({ timeoutMs, believesWakes: true }),
    fails: ['spurious wake', 'newest index', 'timeout', 'index goes back', 'no busy loop', 'patience', 'one at a time'],
    grade: 'C',
  },
  'sleeps for 4 s after its first answer': {
    client: watchClient({ timeoutMs, firstPauseMs: 4_000 }),
    fails: ['gap'],
    grade: 'C',
  },
  'keeps the highest index': {
    client: watchClient({
      timeoutMs,
      index: (index, before) => (before && index && BigInt(index) < BigInt(before) ? before : index),
    }),
    fails: ['index goes back'],
    grade: 'C',
  },
  'asks again at once': {
    client: watchClient({ timeoutMs, pause: () => 0 }),
    fails: ['no busy loop'],
    grade: 'C',
  },
  'retries each 200 ms': {
    client: watchClient({ timeoutMs, retry: () => 200 }),
    fails: ['retry'],
    grade: 'B',
  },
  'never gives up': {
    client: watchClient({ timeoutMs, neverGivesUp: true }),
    fails: ['give up'],
    grade: 'B',
  },
  'cuts a poll after 1 s': {
    client: watchClient({ timeoutMs: 1_000 }),
    fails: ['patience'],
    grade: 'B',
  },
  'asks again while a poll is open': {
    client: watchClient({ timeoutMs, overlapMs: 2_000 }),
    fails: ['one at a time'],
    grade: 'B',
  },
  'reads a token from half a body': {
    client: watchClient({ timeoutMs, readsHalves: true }),
    fails: ['half an answer'],
    grade: 'C',
  },
}

describe('the laboratory', () => {
  it('gives a right client an A', async () => {
    const report = await checkFunctionClient(right, {}, { patience })

    expect(report.checks.filter(({ passed }) => !passed)).toEqual([])
    expect(report.grade).toBe('A')
  })

  it('lets two more polls fail, if the first pauses hardly differ because the machine is busy', async () => {
    const slowed = watchClient({ timeoutMs, retry: n => 100 * 2 ** n + ([600, 520, 380][n] ?? 0) })

    expect(await judge(slowed, ['retry'])).toEqual({ fails: [] })
  })

  it('catches each wrong client by its check', async () => {
    const cases = Object.entries(wrongClients).map(([name, { client, fails, grade }]) => {
      const isWhole = wholeInCi.includes(name)
      const expected = { fails: [...fails].sort(), grade: isWhole ? grade : undefined }
      return { name, expected, judge: () => judge(client, isWhole ? undefined : fails) }
    })

    await expectVerdicts(cases)
  })

  it('catches each wrong client by its check alone', { tags: ['matrix'] }, async () => {
    const cases = Object.entries(wrongClients).map(([name, { client, fails, grade }]) => ({
      name,
      expected: { fails: [...fails].sort(), grade },
      judge: () => judge(client),
    }))

    await expectVerdicts(cases)
  })
})

/** A client of each grade that passes all other checks also in CI. There, the others run only the checks that they fail. */
const wholeInCi = ['cuts a poll after 1 s', 'sleeps for 4 s after its first answer']

/** Expects that each client fails its checks, with its grade. */
async function expectVerdicts(
  cases: readonly { readonly name: string; readonly expected: Verdict; readonly judge: () => Promise<Verdict> }[],
): Promise<void> {
  const found = new Map(await Promise.all(cases.map(async ({ name, judge }) => [name, await judge()] as const)))
  // On a busy machine, a client beside eleven others may be so slow that it passes its check, or fails another one.
  for (const { name, expected, judge } of cases)
    if (!isDeepStrictEqual(found.get(name), expected)) found.set(name, await judge())

  expect(found).toEqual(new Map(cases.map(({ name, expected }) => [name, expected])))
}

interface Verdict {
  readonly fails: readonly LabCheckName[]
  readonly grade: LabReport['grade']
}

/** Returns the names of the checks that a client fails, in order, and its grade if all checks run. */
async function judge(client: LabClient, only?: readonly LabCheckName[]): Promise<Verdict> {
  const { checks, grade } = await checkFunctionClient(client, only ? { only } : {}, { patience })
  return { fails: checks.flatMap(({ name, passed }) => (passed ? [] : [name as LabCheckName])).sort(), grade }
}
