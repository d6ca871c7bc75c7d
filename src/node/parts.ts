import type { MockEnvironment } from '../mock.js'
import { scenarios } from '../scenario/shipped.js'

/** Node's entry points give a mock all shipped scenarios. */
export function nodeParts(): MockEnvironment {
  return { scenarios }
}
