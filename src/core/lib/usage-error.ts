import { beginAtCaller } from './caller-stack.js'
import { didYouMean, quoted } from './text.js'

/**
 * A mistake of our user: in a scenario, in an option, or in a write that does not fit its model.
 * The message says what is wrong, where, and what to do. The stack begins at the caller of this package. A request that the
 * service refuses is an `ApiError` instead.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError'

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    beginAtCaller(this)
  }
}

/** Runs a function for a caller who knows other names than it: `reword` changes the message of each `UsageError`. */
export function reworded<Value>(run: () => Value, reword: (message: string) => string): Value {
  try {
    return run()
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(reword(error.message)) : error
  }
}

/** The most problems that a message lists. */
const mostListed = 20

/** The most problems that are looked for in an input. There are at least so many then. */
export const mostProblems = 1_000

/** Describes the first problems, and counts the rest. Calls `lineOf` only for listed problems. */
export function listedProblems<Problem>(
  problems: readonly Problem[],
  lineOf: (problem: Problem) => string = String,
  most = mostListed,
): string[] {
  const lines = problems.slice(0, most).map(one => lineOf(one))
  const more = Math.min(problems.length, mostProblems) - most
  if (more <= 0) return lines
  return [...lines, `… and ${problems.length < mostProblems ? '' : 'at least '}${more} more`]
}

/** Joins problems to one message with a line for each, as `listedProblems` gives them. */
export function problemLines<Problem>(
  problems: readonly Problem[],
  lineOf?: (problem: Problem) => string,
  most?: number,
): string {
  return listedProblems(problems, lineOf, most).join('\n')
}

/** Throws `UsageError` if a value is no function. `name` begins the message: `mock.log.subscribe: the listener`. */
export function checkFunction(name: string, value: unknown): void {
  if (typeof value !== 'function') throw new UsageError(`${name} is ${quoted(value)}: expected a function`)
}

/**
 * Throws `UsageError` if the options have a key that is not known. For code that loads no schemas. `call` begins the message.
 * Default: none.
 */
export function checkKeys(options: object, known: readonly string[], call?: string): void {
  const unknown = Object.keys(options).find(key => !known.includes(key))
  const start = call === undefined ? '' : `${call}: `
  if (unknown !== undefined)
    throw new UsageError(`${start}options.${unknown} is an unknown key.${didYouMean(unknown, known)}`)
}

/** Common system errors by code, worded as the end of a sentence. */
const reasons: Readonly<Record<string, string>> = {
  E2BIG: 'the command and its environment are too long for this system',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EEXIST: 'it already exists',
  EIO: 'the disk or the terminal reports an error',
  EISDIR: 'it is a folder',
  ELOOP: 'its symbolic links form a circle',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'it does not exist',
  ENOSPC: 'no space is left on the device',
  ENOTDIR: 'part of the path is not a folder',
  EROFS: 'the file system is read-only',
  ERR_FS_FILE_TOO_LARGE: 'it is larger than 2 GiB',
  ERR_STRING_TOO_LONG: 'it is larger than 512 MiB',
}

/** Describes a system error as the end of a sentence, without its code. */
export function systemReason({ code = '', message }: Error & { readonly code?: string | undefined }): string {
  // Other errors look like this: `EFOO: some words, open '/a/path'`.
  return reasons[code] ?? message.replace(/^(?:\w+ )?E[A-Z0-9]+:? /, '').replace(/, \w+ '.*'$/, '')
}

/** Tells the error of a call of `node:fs` from others. */
export function isSystemError(error: unknown): error is Error & { readonly code?: string } {
  if (!(error instanceof Error)) return false
  // Node.js itself refuses to read such files.
  const { code } = error as { readonly code?: unknown }
  return 'syscall' in error || code === 'ERR_FS_FILE_TOO_LARGE' || code === 'ERR_STRING_TOO_LONG'
}

/** Turns a system error into a `UsageError` that begins with `what`. Returns any other error as it is. */
export function asUsageError(error: unknown, what: string): unknown {
  return isSystemError(error) ? new UsageError(`${what}: ${systemReason(error)}`, { cause: error }) : error
}

/** Turns a system error into a `UsageError` about a file that could not be written. Returns any other error as it is. */
export function asWriteError(error: unknown, file: string): unknown {
  const what = `cannot write ${file}`
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
  return isMissing ? new UsageError(`${what}: its folder does not exist`, { cause: error }) : asUsageError(error, what)
}
