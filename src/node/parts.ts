import { AsyncLocalStorage } from 'node:async_hooks'
import type { Parts } from '../mock.js'
import { scenarios } from '../scenario/shipped.js'

/** The parts of a mock that need Node: all shipped scenarios, and the context of turns. */
export function nodeParts(): Parts {
  return { scenarios, turnContext: () => new AsyncLocalStorage<object>() }
}
