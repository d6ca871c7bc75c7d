import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, relative } from 'node:path'
import type { TestInfo } from '@playwright/test'
import type { PageMock } from './page-mock.js'
import { type FailedWorld, failedWorld, reportRequests } from './report.js'
import { checkUnusedFaults, unusedFaults } from './strict.js'

/** The name of the attachment with the world. The command can serve the file. */
const worldName = 'mockmaker-world.json'

/** Attaches the requests and the world of a mock to a test that fails. */
export class FailureReport {
  readonly #mock: PageMock
  readonly #testInfo: TestInfo
  #isAttached = false

  constructor(mock: PageMock, testInfo: TestInfo) {
    this.#mock = mock
    this.#testInfo = testInfo
  }

  /** Attaches them if the test has failed. Does so once: call it as long as the pages are open, to see their blocked requests. */
  async attachIfFailed(): Promise<void> {
    const { status, expectedStatus } = this.#testInfo
    if (status !== expectedStatus) await this.#attach()
  }

  /** Fails the test if its faults were never applied. Does nothing if it has failed already. Rejects with `UsageError`. */
  async checkFaults(): Promise<void> {
    const { status, expectedStatus } = this.#testInfo
    if (status !== expectedStatus) return
    const unused = await unusedFaults(this.#mock)
    if (unused.length > 0) await this.#attach()
    checkUnusedFaults(unused)
  }

  async #attach(): Promise<void> {
    if (this.#isAttached) return
    this.#isAttached = true
    const file = this.#testInfo.outputPath(worldName)
    const text = await this.#writeWorld(file).then(
      failed => reportRequests(this.#mock, { saved: { file: relative(process.cwd(), file), failed } }),
      // The server of the mock may be the reason why the test fails.
      (error: Error) => `There is no report of the requests: ${error.message}`,
    )
    await this.#testInfo.attach('mockmaker-journal', { body: text, contentType: 'text/plain' })
  }

  async #writeWorld(file: string): Promise<FailedWorld> {
    const failed = await failedWorld(this.#mock)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, JSON.stringify(failed.world, null, 2))
    // Unlike `attach`, this copies no file.
    this.#testInfo.attachments.push({ name: worldName, path: file, contentType: 'application/json' })
    return failed
  }
}
