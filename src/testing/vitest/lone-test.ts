import { UsageError } from '../../core/lib/messages.js'
import type { RunningTest } from '../running-tests.js'

/** Runs one test after the other, where nothing tells whose request it is. */
export class LoneTest {
  running: RunningTest | undefined

  /** Runs a test with its handlers. Rejects with `UsageError`, which ends with `why`, if another test runs. */
  async run(test: RunningTest, why: string, resetHandlers: () => void, body: () => Promise<void>): Promise<void> {
    if (this.running) throw new UsageError(`"${test.name}" began while "${this.running.name}" runs: ${why}`)
    this.running = test
    try {
      resetHandlers()
      await body()
    } finally {
      this.running = undefined
      resetHandlers()
    }
  }
}
