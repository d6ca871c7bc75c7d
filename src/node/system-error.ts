import { UsageError } from '../lib/usage-error.js'

/** The errors that people meet, as the end of a sentence. */
const reasons: Readonly<Record<string, string>> = {
  EACCES: 'you may not do that there',
  EPERM: 'you may not do that there',
  EEXIST: 'there is something of that name already',
  EIO: 'the device or the terminal does not answer',
  EISDIR: 'it is a folder',
  ELOOP: 'its links lead in a circle',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'it does not exist',
  ENOSPC: 'no space is left on the device',
  ENOTDIR: 'part of the path is not a folder',
  EROFS: 'the file system cannot be written',
}

/** Why the system refused something, as the end of a sentence, without its error code. */
export function systemReason({ code = '', message }: Error & { readonly code?: string | undefined }): string {
  // Else what the system itself says: `EFOO: some words, open '/a/path'`.
  return reasons[code] ?? message.replace(/^(?:\w+ )?E[A-Z0-9]+:? /, '').replace(/, \w+ '.*'$/, '')
}

/** A refusal of the system as a `UsageError`: `what`, a colon, and the reason. Any other error as it is. */
export function explained(error: unknown, what: string): unknown {
  const isSystemError = error instanceof Error && 'syscall' in error
  return isSystemError ? new UsageError(`${what}: ${systemReason(error)}`, { cause: error }) : error
}
