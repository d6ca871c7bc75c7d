import type { CheckResult } from '../core/lib/check-report.js'

/** The name of a check of the laboratory. */
export type LabCheckName =
  | 'opaque index'
  | 'newest index'
  | 'timeout'
  | 'spurious wake'
  | 'gap'
  | 'index goes back'
  | 'no busy loop'
  | 'retry'
  | 'give up'
  | 'patience'
  | 'one at a time'
  | 'half an answer'

/** Waits until a device link is complete. Resolves with its cloud token. Rejects if it gives up. */
export type LabClient = (link: {
  /** The base URL of the service, without a slash at its end. */
  readonly url: string
  /** The token of the device link. */
  readonly token: string
  /** Aborted when the check is over. */
  readonly signal: AbortSignal
}) => Promise<string>

export interface LabOptions {
  /** Runs only these checks. Default: all. */
  readonly only?: readonly LabCheckName[] | undefined
  /** Leaves out `patience`, which takes minutes. Default: false. */
  readonly quick?: boolean | undefined
  /** Checks that may fail. One that passes fails then. Default: none. */
  readonly baseline?: readonly LabCheckName[] | undefined
  /** Called with each result, as soon as it is known. */
  readonly onResult?: ((result: CheckResult) => void) | undefined
  /** Ends the checks, and rejects with the reason. */
  readonly signal?: AbortSignal | undefined
}

/** The results of the laboratory, as plain JSON. */
export interface LabReport {
  /** True if all checks were run, and none failed, except those of the baseline. */
  readonly passed: boolean
  /** `A`: all checks pass. `B`: no token is lost, and there is no loop. `C`: less. Absent with `only` or `notRun`. */
  readonly grade?: 'A' | 'B' | 'C'
  /** In the order of the documentation. */
  readonly checks: readonly CheckResult[]
  /** The checks that were not run, because the client sent no request in the first one. Absent if all were run. */
  readonly notRun?: readonly LabCheckName[]
}

/**
 * Checks a client of a device link: serves links that misbehave, and watches what the client does. It starts the client once
 * for each case of a check, on a port of its own. Needs Node. Rejects with `UsageError` if an option is wrong.
 */
export async function lab(client: LabClient, options: LabOptions = {}): Promise<LabReport> {
  const { checkFunctionClient } = await import('#lab')
  return checkFunctionClient(client, options)
}
