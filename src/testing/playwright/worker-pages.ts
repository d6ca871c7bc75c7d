import type { BrowserContext } from '@playwright/test'
import { sayIfSlow } from '../../core/lib/slow-wait.js'
import type { PageRequests } from './page-requests.js'

/** The contexts of a worker of Playwright. One that is made between tests, as in `beforeAll`, belongs to each test in turn. */
export class WorkerPages {
  #requests: PageRequests | undefined
  readonly #shared = new Set<BrowserContext>()
  readonly #known = new WeakSet<BrowserContext>()
  /** The contexts whose test has installed `page.clock`. */
  readonly #withClock = new Set<BrowserContext>()

  /** Adds a new context. Does nothing if it is known. */
  async add(context: BrowserContext): Promise<void> {
    if (!this.#known.has(context)) this.#watch(context)
    if (this.#requests) await this.#requests.add(context)
    else this.#shared.add(context)
  }

  /** Begins a test: its requests answer all pages from now on. */
  async begin(requests: PageRequests): Promise<void> {
    this.#requests = requests
    await Promise.all([...this.#shared].map(context => requests.add(context)))
  }

  /** Ends the test. Its own contexts may live on, but reach no mock any more. */
  async end(): Promise<void> {
    const requests = this.#requests
    this.#requests = undefined
    requests?.end()
    await Promise.all([...this.#shared].map(context => requests?.remove(context)))
  }

  /** Moves the installed clocks of all pages by ms with `runFor`: the clock of a world runs all jobs on its way, too. */
  async advanceClocks(ms: number): Promise<void> {
    const moved = [...this.#withClock].filter(context => this.#requests?.has(context))
    const all = Promise.all(moved.map(context => context.clock.runFor(ms).catch(error => ignoreIfGone(context, error))))
    await sayIfSlow(all, () => 'advance still waits for page.clock.runFor: a page is busy, or a dialog is open')
  }

  #watch(context: BrowserContext): void {
    this.#known.add(context)
    // Playwright 1.44 has no clock.
    const { clock } = context as Partial<Pick<BrowserContext, 'clock'>>
    if (clock) {
      const note = () => void this.#withClock.add(context)
      const [install, pauseAt] = [clock.install.bind(clock), clock.pauseAt.bind(clock)]
      clock.install = options => install(options).then(note)
      clock.pauseAt = time => pauseAt(time).then(note)
    }
    context.on('close', () => {
      this.#shared.delete(context)
      this.#withClock.delete(context)
    })
  }
}

function ignoreIfGone(context: BrowserContext, error: unknown): void {
  if (context.pages().length > 0) throw error
}
