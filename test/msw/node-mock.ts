import { it as base, expect } from 'vitest'
import {
  type ListenOptions,
  type NodeMockmaker,
  type NodeMockmakerOptions,
  setupMockmaker,
} from '../../src/msw/node.js'
import { completion, tanks, tokens } from '../support/tanks.js'
import { watchIndexOf } from '../support/worlds.js'

/** The origin of the requests. */
export const origin = 'http://mock.test'
export const listUrl = `${origin}/matchmaker/lobbies/list`

type Setup = (options?: NodeMockmakerOptions & ListenOptions) => NodeMockmaker

/** Creates mocks that listen, and closes them after the test. */
export const it = base.extend<{ setup: Setup }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern
  setup: async ({}, use) => {
    const mocks: NodeMockmaker[] = []
    await use(({ onUnhandledRequest = 'bypass', ...options } = {}) => {
      const mock = setupMockmaker({ scenario: tanks, ...options })
      mock.listen({ onUnhandledRequest })
      mocks.push(mock)
      return mock
    })
    await Promise.all(mocks.map(mock => mock.close()))
  },
})

/** Fetches the lobbies of the list. */
export const lobbiesAt = async (url = listUrl) => ((await (await fetch(url)).json()) as { lobbies: object[] }).lobbies

/** Returns the URL of a blocking watch of the pending device link. */
export const watchUrl = ({ world }: NodeMockmaker) =>
  `${origin}/cloud/devices/links?device_link_token=${tokens.pending}&watch_index=${watchIndexOf(world, tokens.pending)}`

/** Completes the pending device link. */
export const complete = () => fetch(origin + completion.path, completion)

/** Waits until that many requests are blocked. */
export const until = (mock: NodeMockmaker, waiters: number) => expect.poll(() => mock.world.waiters).toBe(waiters)
