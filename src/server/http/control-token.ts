import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { counted, UsageError } from '../../core/lib/messages.js'
import { readToken } from '../../core/pipeline/authenticate.js'
import type { MockRequest } from '../../core/pipeline/message.js'

const form = /^[\w.~+/=-]{16,512}$/

/** Checks the form of a control token. Throws `UsageError`, whose message does not show the token. */
export function checkControlToken(token: string, subject: string): string {
  if (form.test(token)) return token
  const found = token === '' ? 'is empty' : `has ${counted(token.length, 'character', 'characters')}`
  throw new UsageError(
    `${subject} ${found}: expected 16 to 512 letters, digits or . _ ~ + / = -, such as the output of openssl rand -hex 24`,
  )
}

/** Creates a control token. Like all tokens of a mock, it has the word `mock` in it. */
export function createControlToken(): string {
  return `control.mock.${randomBytes(24).toString('base64url')}`
}

/** Returns a function that tells whether a request has the control token, in constant time. */
export function holderCheck(token: string): (request: Pick<MockRequest, 'headers'>) => boolean {
  const digest = digestOf(token)
  return request => {
    const sent = readToken(request, { anyCase: true })
    return sent !== undefined && timingSafeEqual(digestOf(sent), digest)
  }
}

/** Digests have one length, which the comparison needs. */
function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
