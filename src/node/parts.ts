import { AsyncLocalStorage } from 'node:async_hooks'
import type { Parts } from '../mock.js'
import { scenarios } from '../scenario/shipped.js'

/** What Node gives a mock: all shipped scenarios, and turns that know what runs inside them. */
export function nodeParts(): Parts {
  return { scenarios, turnContext: () => new AsyncLocalStorage<object>() }
}
