import { AsyncLocalStorage } from 'node:async_hooks'
import type { Parts } from '../mock.js'
import { scenarios } from '../scenario/shipped.js'
import { requireFaker } from './required.js'

/** What Node gives a mock: fake data that is loaded when something is generated, turns that know what runs inside them, and all shipped scenarios. */
export function nodeParts(): Parts {
  return { faker: requireFaker, scenarios, turnContext: () => new AsyncLocalStorage<object>() }
}
