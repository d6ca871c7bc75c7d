import { exactValue, getKey, writeJson } from './json.js'
import { TextEncoder } from './real-globals.js'
import type { Steps } from './steps.js'

/** The most values that one step writes. It takes about 0.1 ms. */
const mostWritten = 500

/** The characters of a text that count as a value. */
const charactersPerValue = 100

const pieceLength = 64 * 1024 // characters

/** Writes a JSON value in steps, as pieces of a text. The value must not change on the way. */
export function* jsonPieces(value: object): Steps<string[]> {
  const pieces: string[] = []
  let piece = ''
  const add = (text: string) => {
    piece += text
    if (piece.length < pieceLength) return
    pieces.push(piece)
    piece = ''
  }
  yield* write(value, add)
  if (piece !== '') pieces.push(piece)
  return pieces
}

function* write(value: unknown, add: (text: string) => void): Steps<void> {
  if (isLight(value)) add(writeJson(value) ?? 'null')
  else if (Array.isArray(value)) yield* writeItems(value, add)
  else yield* writeFields(value as object, add) // all other values are light
  yield
}

function* writeItems(items: readonly unknown[], add: (text: string) => void): Steps<void> {
  let separator = '['
  for (const i of items.keys()) {
    add(separator)
    separator = ','
    yield* write(exactValue(items, String(i)), add)
  }
  add(']')
}

function* writeFields(fields: object, add: (text: string) => void): Steps<void> {
  let separator = '{'
  for (const key of Object.keys(fields)) {
    const field = exactValue(fields, key)
    if (field === undefined) continue
    add(`${separator}${JSON.stringify(key)}:`)
    separator = ','
    yield* write(field, add)
  }
  add('}')
}

function isLight(value: unknown): boolean {
  return typeof value !== 'object' || value === null || weigh(value, mostWritten) >= 0
}

/** Subtracts the number of values from `left`, where a long text counts as several. Stops once it is below zero. */
function weigh(value: unknown, left: number): number {
  if (typeof value === 'string') return left - 1 - value.length / charactersPerValue
  if (typeof value !== 'object' || value === null) return left - 1
  let rest = left - 1
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && rest >= 0; i += 1) rest = weigh(value[i], rest)
    return rest
  }
  for (const key in value) {
    if (rest < 0) break
    rest = weigh(getKey(value, key), rest)
  }
  return rest
}

const encoder = new TextEncoder()

/** Writes a JSON value in steps, as the UTF-8 of the text that `JSON.stringify` returns: see `jsonPieces`. */
export function* jsonBytes(value: object): Steps<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = []
  let length = 0
  for (const piece of yield* jsonPieces(value)) {
    const part = encoder.encode(piece)
    parts.push(part)
    length += part.length
    yield
  }
  const bytes = new Uint8Array(length)
  let offset = 0
  for (const part of parts) {
    bytes.set(part, offset)
    offset += part.length
    yield
  }
  return bytes
}
