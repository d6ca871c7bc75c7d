import type { OperationId } from '../contract/operations.js'
import type { RequestHandler } from '../pipeline/message.js'

/** The operation of an MSW handler, so that an HTTP adapter can answer without Fetch objects. */
export interface HandlerOperation {
  readonly id: OperationId
  /** Answers over HTTP. */
  readonly answer: RequestHandler
  /** The path of the base URL, without a slash at its end. */
  readonly basePath: string
  /** It answers one request only. */
  readonly once: boolean
}

/** The same in every copy of the package. */
const operationKey = Symbol.for('mockmaker.operation')

export function withOperation<Handler extends object>(handler: Handler, operation: HandlerOperation): Handler {
  return Object.assign(handler, { [operationKey]: operation })
}

/** Returns the operation of one of our handlers, and `undefined` for any other handler. */
export function operationOf(handler: object): HandlerOperation | undefined {
  return (handler as { readonly [operationKey]?: HandlerOperation })[operationKey] // only `withOperation` sets this key
}
