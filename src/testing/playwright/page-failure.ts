import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, relative } from 'node:path'
import type { TestInfo } from '@playwright/test'
import { writeJson } from '../../core/lib/json.js'
import { shortened } from '../../core/lib/messages.js'
import { checkUnusedFaults } from '../../core/pipeline/unused-faults.js'
import { journalToHar } from '../../server/har/write.js'
import { failedWorld, reportRequests, summarizeRequests } from '../report.js'
import type { PageMock } from './page-mock.js'
import type { PageRequests } from './page-requests.js'

const worldName = 'mockmaker-world.json'

const capsuleName = 'mockmaker.html'

const journalName = 'mockmaker-journal.txt'

const harName = 'mockmaker.har'

/** The longest text that the reporters `list`, `line` and `dot` print whole, in characters. Of a file they print the path. */
const longestPrinted = 300

/** Attaches the requests and the world of a mock to a test that fails. */
export class FailureReport {
  #isAttached = false

  constructor(
    private readonly mock: PageMock,
    private readonly testInfo: TestInfo,
    private readonly requests: PageRequests,
    private readonly hasCapsule: boolean,
  ) {}

  /** Attaches the report if the test has failed, at most once. Call it before the pages close, so that it has their blocked requests. */
  async attachIfFailed(): Promise<void> {
    const { status, expectedStatus } = this.testInfo
    if (status !== expectedStatus) await this.#attach()
  }

  /** Fails the test if its faults were never applied. Does nothing if it has failed already. Rejects with `UsageError`. */
  async checkFaults(): Promise<void> {
    const { status, expectedStatus } = this.testInfo
    if (status !== expectedStatus) return
    const unused = await this.mock.faults.list({ unused: true })
    if (unused.length > 0) await this.#attach()
    checkUnusedFaults(unused)
  }

  async #attach(): Promise<void> {
    if (this.#isAttached) return
    this.#isAttached = true
    const found = await this.#describe().catch(
      // The server of the mock may be the reason why the test fails.
      (error: Error) => ({ summary: `There is no report of the requests: ${error.message}`, journal: undefined }),
    )
    await this.testInfo.attach('mockmaker-requests', { body: found.summary, contentType: 'text/plain' })
    if (found.journal === undefined) return
    await this.#write(journalName, found.journal, 'text/plain')
    await this.#write(worldName, found.world, 'application/json')
    await this.#write(harName, found.har, 'application/json')
    if (found.capsule !== undefined) await this.#write(capsuleName, found.capsule, 'text/html')
  }

  async #describe() {
    const failed = await failedWorld(this.mock)
    const file = relative(process.cwd(), this.testInfo.outputPath(worldName))
    const warning = this.#warning()
    const noRequest = warning === '' ? this.#noRequest() : undefined
    const report = await reportRequests(this.mock, { saved: { file, failed }, noRequest })
    const longest = longestPrinted - warning.length
    return {
      summary: warning + (await summarizeRequests(this.mock, { longest, noRequest })),
      journal: `${warning}${report}\n`,
      world: writeJson(failed.world, { space: 2 }),
      capsule: this.hasCapsule ? await this.mock.capsule() : undefined,
      har: JSON.stringify(journalToHar(await this.mock.journal.find(), { url: this.requests.matchmaker }), null, 2),
    }
  }

  /** The page may call another URL, or a route of the test may answer instead of the mock. */
  #noRequest(): string {
    const url = shortened(this.requests.matchmaker)
    return `No request to ${url} has reached the mock. Routes of the test answer first, unless they call route.fallback().`
  }

  /** Two tools may mock the same page: MSW in the app, and this mock. */
  #warning(): string {
    const [worker] = this.requests.serviceWorkers
    if (worker === undefined) return ''
    return `The service worker ${shortened(worker)} may answer before the mock does. To block it: test.use({ serviceWorkers: 'block' })\n`
  }

  async #write(name: string, text: string, contentType: string): Promise<void> {
    const path = this.testInfo.outputPath(name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
    // Unlike `attach`, this copies no file.
    this.testInfo.attachments.push({ name, path, contentType })
  }
}
