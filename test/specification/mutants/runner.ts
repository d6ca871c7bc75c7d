import { setMaxListeners } from 'node:events'
import { VitestTestRunner } from 'vitest/runners'
import { readResults, writeResults } from './results.js'

type Test = Parameters<VitestTestRunner['onAfterTryTask']>[0]
interface Attempt {
  readonly retry: number
  readonly repeats: number
}

/** A test that takes more processor time, in µs, runs with no mutant. */
const longest = 500_000

// Each run of a test listens to its signal.
setMaxListeners(0)

/**
 * Runs each test once, and then again with each mutant that it reaches and that no test has found. After a mutant that it finds,
 * it runs without one: if it fails then, the mutant has broken what the tests of the file share, and the others run only once.
 */
export default class MutantRunner extends VitestTestRunner {
  readonly #results = readResults()
  readonly #killed = new Set(this.#results.killed)
  readonly #reached = new Set(this.#results.reached)
  #queue: (string | undefined)[] = []
  #broken: string | undefined
  #startedAt = process.cpuUsage()

  override async onBeforeRunTask(test: Test): Promise<void> {
    await super.onBeforeRunTask(test)
    if (test.tags?.includes('slow')) test.mode = 'skip'
    test.repeats = this.#broken === test.file.filepath ? 0 : 1
    this.#queue = []
  }

  override onBeforeTryTask(test: Test, { repeats }: Attempt = { retry: 0, repeats: 0 }): void {
    super.onBeforeTryTask(test)
    if (repeats === 0) {
      mutants.reached.clear()
      this.#startedAt = process.cpuUsage()
    }
    mutants.planted = repeats === 0 ? undefined : this.#queue.shift()
  }

  onAfterRetryTask(test: Test, { repeats }: Attempt): void {
    const { planted } = mutants
    mutants.planted = undefined
    const { result } = test
    if (!result) return
    const hasFailed = result.state === 'fail'
    if (repeats === 0) {
      for (const name of mutants.reached) this.#reached.add(name)
      const left = [...mutants.reached].filter(name => !this.#killed.has(name))
      const isLong = process.cpuUsage(this.#startedAt).user > longest
      this.#queue = hasFailed || isLong ? [] : left
      // More than enough: an attempt that leaves the state at `pass` is the last one.
      test.retry = 2 * left.length + 1
      return
    }
    if (planted === undefined && hasFailed) {
      process.stdout.write(
        `${test.file.name}: ${test.name}: fails without a mutant: ${result.errors?.at(-1)?.message}\n`,
      )
      this.#broken = test.file.filepath
      this.#queue = []
    }
    if (planted !== undefined && hasFailed) {
      this.#killed.add(planted)
      this.#queue.unshift(undefined)
    }
    const isLast = this.#queue.length === 0
    result.state = isLast ? 'pass' : 'run'
    result.errors = isLast ? [] : [{ message: 'there are more mutants' }]
  }

  override onAfterRunFiles(): void {
    super.onAfterRunFiles()
    const all = [...new Set([...this.#results.all, ...mutants.all])]
    writeResults({ ...this.#results, all, killed: [...this.#killed], reached: [...this.#reached] })
  }
}
