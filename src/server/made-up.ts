import type { ErrorBody } from '../contract/errors.js'
import type { MockResponse } from './message.js'

/** Thrown where a fault answers with a failure, which need not be one of the service's. */
export class MadeUpFailure extends Error {
  override readonly name = 'MadeUpFailure'

  constructor(
    readonly body: ErrorBody,
    readonly status: number,
  ) {
    super(body.message)
  }
}

/** Thrown where a fault breaks the connection off. */
export class BrokenOff extends Error {
  override readonly name = 'BrokenOff'

  constructor(readonly how: NonNullable<MockResponse['disconnect']>) {
    super(how)
  }
}
