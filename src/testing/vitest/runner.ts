import * as vitest from 'vitest'
import { tooOld } from '../../core/lib/peers.js'

type Task = vitest.TestContext['task']

/** The functions of vitest's runner that are not the same in all versions. */
export interface Runner {
  /** Returns the suite that vitest collects now, and those around it. Throws outside of a collection. */
  suites(): readonly object[]
  /** Calls a function around each test of the present suite. `run` never rejects. */
  aroundEach(around: (run: () => Promise<void>, task: Task) => Promise<void>): void
}

/** The part of vitest that `vitest/suite` exports before vitest 4.1. */
export type SuitePart = Pick<typeof import('vitest/suite'), 'getCurrentSuite' | 'getFn' | 'setFn'>

/** Vitest 4.1 and newer have both names. */
const { TestRunner, aroundEach } = vitest as Partial<typeof vitest>

/** Tells whether `vitest` alone has all that the hooks need. */
export const isWhole = TestRunner !== undefined && aroundEach !== undefined

/** Returns the runner of the installed vitest. `part` is for versions before 4.1 in Node. Throws `UsageError` if vitest is too old. */
export function createRunner(part?: Partial<SuitePart>, versionOf?: (name: string) => string | undefined): Runner {
  if (TestRunner && aroundEach)
    return {
      suites: () => suitesAround(TestRunner.getCurrentSuite()),
      aroundEach: around => aroundEach((run, { task }) => around(run, task)),
    }
  if (!part) throw tooOld('mockmaker/vitest in a page', 'vitest', { needed: '4.1.0' })
  const { getCurrentSuite, getFn, setFn } = part
  if (!getCurrentSuite || !getFn || !setFn) throw tooOld('mockmaker/vitest', 'vitest', { versionOf })
  return { suites: () => olderSuites(getCurrentSuite()), aroundEach: around => replaceTests(around, { getFn, setFn }) }
}

function suitesAround({ suite, file }: vitest.SuiteCollector): object[] {
  const suites: object[] = []
  for (let one: vitest.RunnerTestSuite | undefined = suite; one; one = one.suite) suites.push(one)
  const ofFile = suite?.file ?? file
  return ofFile ? [...suites, ofFile] : suites
}

const files = new Map<string, object>()

/** Returns a suite and its file, which older versions do not tell: their outermost suite, without a name, is the same for all files. */
function olderSuites(suite: vitest.SuiteCollector): object[] {
  const { __vitest_worker__: worker } = globalThis as { readonly __vitest_worker__?: { readonly filepath?: string } }
  const path = worker?.filepath ?? ''
  const file = files.get(path) ?? { path }
  files.set(path, file)
  return suite.name === '' ? [file] : [suite, file]
}

function replaceTests(
  around: Parameters<Runner['aroundEach']>[0],
  { getFn, setFn }: Omit<SuitePart, 'getCurrentSuite'>,
) {
  // Vitest reads the names in the braces.
  vitest.beforeEach(({ task }) => {
    const test = getFn(task)
    setFn(task, async () => {
      const failures: unknown[] = []
      const run = async () => {
        try {
          await test()
        } catch (error) {
          failures.push(error)
          if (task.result) task.result.state = 'fail'
        }
      }
      await around(run, task)
      for (const failure of failures) throw failure
    })
    return () => setFn(task, test)
  })
}
