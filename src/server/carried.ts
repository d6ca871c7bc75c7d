import type { OperationId } from '../contract/operations.js'
import type { RequestHandler } from './message.js'

/** What an MSW handler of ours carries, so that a door can answer without Fetch objects. */
interface Carried {
  readonly id: OperationId
  /** Answers over HTTP. */
  readonly answer: RequestHandler
  /** What stands before the operation's path, without a slash at its end. */
  readonly basePath: string
}

/** Known to every copy of the package. */
const key = Symbol.for('mockmaker.operation')

/** Marks a handler as ours. */
export function carry<Handler extends object>(handler: Handler, carried: Carried): Handler {
  return Object.assign(handler, { [key]: carried })
}

/** What a handler carries, if it is one of ours. */
export function carriedBy(handler: object): Carried | undefined {
  // Only `carry` writes under this key; on anything else it finds nothing.
  return (handler as { readonly [key]?: Carried })[key]
}
