import { AsyncLocalStorage } from 'node:async_hooks'
import type { Parts } from '../mock.js'
import { requireFaker } from './required.js'

/** What Node gives a mock: fake data that is loaded when something is generated, and turns that know what runs inside them. */
export function nodeParts(): Parts {
  return { faker: requireFaker, turnContext: () => new AsyncLocalStorage<object>() }
}
