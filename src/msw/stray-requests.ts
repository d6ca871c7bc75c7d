import { counted } from '../core/lib/messages.js'

/** The advice about a request that another test has sent. */
export const sharedCode =
  'Code that several tests share, such as a queue, a poller or a promise library, sends requests for the test that has started it. Start it in each test, or pass it AsyncResource.bind(() => …)'

/** Counts for each test the requests that came while it ran, and that were not for it. */
export class StrayRequests<Test extends object> {
  readonly #running = new Map<Test, Map<string, number>>()

  get size(): number {
    return this.#running.size
  }

  begin(test: Test): void {
    this.#running.set(test, new Map())
  }

  end(test: Test): void {
    this.#running.delete(test)
  }

  /** Counts a request for all tests but its own. `sender` says whose it is. */
  add(own: Test | undefined, sender: string): void {
    for (const [test, counts] of this.#running) if (test !== own) counts.set(sender, (counts.get(sender) ?? 0) + 1)
  }

  /** Describes the requests that were not for a running test. Returns `undefined` if there were none. */
  describe(test: Test): string | undefined {
    const counts = [...(this.#running.get(test) ?? [])]
    if (counts.length === 0) return undefined
    const all = counts.reduce((sum, [, count]) => sum + count, 0)
    const senders = counts.slice(0, mostSenders).map(([sender, count]) => `${count} of ${sender}`)
    const more = counts.length > mostSenders ? ', …' : ''
    return `Meanwhile ${counted(all, 'request', 'requests')} came that did not belong to it: ${senders.join(', ')}${more}. ${sharedCode}.`
  }
}

const mostSenders = 5
