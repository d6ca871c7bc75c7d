import type { Client } from '../client/client.js'
import { completeDeviceLink } from '../core/control/device-links.js'
import { clockJson } from '../core/control/history.js'
import type { Mock } from '../core/mock/mock.js'
import { runInSlices } from '../core/store/timers.js'
import { capsuleHtml } from '../server/files/capsule-html.js'

/** The world `default`, as the keys of a terminal change it: by the names of the client. */
export interface KeyWorld extends Pick<Client, 'reset' | 'load' | 'clock' | 'capsule' | 'completeDeviceLink'> {
  readonly faults: Pick<Client['faults'], 'clear'>
  readonly journal: Pick<Client['journal'], 'find'>
}

/** Returns the world of this process. */
export function ownWorld({ default: mock }: Pick<Mock, 'default'>): KeyWorld {
  const clockNow = () => clockJson(mock.world.clock.state)
  return {
    reset: options => mock.reset(options),
    load: scenario => mock.load(scenario),
    capsule: async options => capsuleHtml(await runInSlices(mock.capsule(options))),
    async completeDeviceLink(token, options) {
      completeDeviceLink(mock.world, token, options)
    },
    clock: {
      get: async () => clockNow(),
      async set(setting) {
        await mock.clock.set(setting)
        return clockNow()
      },
      async advance(by) {
        await mock.clock.advance(by)
        return clockNow()
      },
    },
    faults: { clear: async () => mock.faults.clear() },
    journal: { find: async filter => mock.journal.find(filter) },
  }
}

/** Returns the world of a replica, whichever process runs it. `ownToken` lets this process control all worlds. */
export async function sharedWorld(url: string, ownToken: string): Promise<KeyWorld> {
  // Most mocks do not need the client.
  const { createClient } = await import('../client/client.js')
  return createClient(url, { controlToken: ownToken, fetch: fetchAsOwnPage })
}

/** Asks as a page of the mock does, because the log leaves out the requests of pages. */
function fetchAsOwnPage(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  return fetch(input, { ...init, headers: { ...init?.headers, 'sec-fetch-site': 'same-origin' } })
}
