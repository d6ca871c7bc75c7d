import type { Answer } from './exchange.js'

const encoder = new TextEncoder()

/** The bytes of an answer, `undefined` being the empty body, and the headers that every answer has (PROTOCOL.md B9). */
export function encode(value: object | undefined, { status, headers }: Omit<Answer, 'body'>): Answer {
  const body = value === undefined ? new Uint8Array() : encoder.encode(JSON.stringify(value))
  const type = value === undefined ? undefined : { 'content-type': 'application/json' }
  return { status, headers: { ...type, 'cache-control': 'no-store', vary: 'Origin', ...headers }, body }
}
