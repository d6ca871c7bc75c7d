import { escapedLine } from '../lib/text.js'

/**
 * Converts JSON to YAML piece by piece, in the order of its keys. It holds one key or value at a time. Throws `SyntaxError`
 * if the text is no JSON.
 */
export class JsonToYaml {
  #rest = ''
  /** The number of characters of an unfinished string that have been scanned. */
  #scanned = 0
  readonly #open: Frame[] = []
  /** A list or an object after its opening bracket. If it is empty, it becomes `[]` or `{}`. */
  #begun: Frame['kind'] | undefined
  /** The last part. It decides which parts may follow. */
  #last: Part = 'nothing'

  /** Returns the YAML of the next piece. */
  push(piece: string): string {
    this.#rest += piece
    return this.#write(false)
  }

  /** Returns the YAML of the rest. */
  end(): string {
    const text = this.#write(true)
    if (this.#rest !== '' || this.#open.length > 0 || this.#begun || this.#last !== 'value') throw invalidJson()
    return `${text}\n`
  }

  #write(isLast: boolean): string {
    const written: string[] = []
    const text = this.#rest
    let at = 0
    while (at < text.length) {
      const end = this.#endOfToken(text, at)
      // A number may continue in the next piece.
      if (end === undefined || (end === text.length && !isLast && !/[{}[\]:,"\s]/.test(text[at] ?? ''))) break
      const token = text.slice(at, end).trim()
      if (token !== '') written.push(this.#token(token))
      at = end
    }
    this.#rest = text.slice(at)
    return written.join('')
  }

  /** Returns the end of a token. `undefined` if the end is in a later piece. */
  #endOfToken(text: string, start: number): number | undefined {
    const first = text[start] ?? ''
    if (first === '"') return this.#endOfText(text, start)
    if (/[{}[\]:,]/.test(first)) return start + 1
    const token = /^\s/.test(first) ? spaces : literal
    token.lastIndex = start
    token.test(text)
    return token.lastIndex
  }

  #endOfText(text: string, start: number): number | undefined {
    let from = start + Math.max(1, this.#scanned)
    for (;;) {
      const quote = text.indexOf('"', from)
      if (quote === -1) {
        // The piece may end inside an escape.
        this.#scanned = text.length - start - 1
        return undefined
      }
      let slashes = 0
      while (text[quote - 1 - slashes] === '\\') slashes += 1
      if (slashes % 2 === 0) {
        this.#scanned = 0
        return quote + 1
      }
      from = quote + 1
    }
  }

  #token(token: string): string {
    if (token === '}' || token === ']') return this.#close(token === '}' ? 'map' : 'list')
    if (this.#begun !== undefined) this.#openFrame(this.#begun)
    const frame = this.#open.at(-1)
    if (token === ',') {
      this.#expect(frame !== undefined && this.#last === 'value', 'comma')
      return ''
    }
    if (token === ':') {
      this.#expect(this.#last === 'key', 'colon')
      return ''
    }
    if (frame?.kind === 'map' && this.#last !== 'colon') return this.#key(token, frame)
    return this.#value(token, frame)
  }

  #key(token: string, frame: Frame): string {
    this.#expect(token.startsWith('"') && this.#last !== 'value' && this.#last !== 'key', 'key')
    const key = writeScalar(token)
    const start = beginLine(frame)
    return key.length <= longestKey ? `${start}${key}:` : `${start}? ${key}\n${' '.repeat(frame.indent)}:`
  }

  #value(token: string, frame: Frame | undefined): string {
    const isExpected = frame === undefined ? this.#last === 'nothing' : frame.kind === 'map' || this.#last !== 'value'
    this.#expect(isExpected, 'value')
    const prefix = frame?.kind === 'list' ? `${beginLine(frame)}- ` : ''
    if (token !== '{' && token !== '[') return prefix + (frame?.kind === 'map' ? ' ' : '') + writeScalar(token)
    this.#begun = token === '{' ? 'map' : 'list'
    this.#last = 'bracket'
    return prefix
  }

  #openFrame(kind: Frame['kind']): void {
    const parent = this.#open.at(-1)
    this.#begun = undefined
    this.#open.push({ kind, indent: parent ? parent.indent + 2 : 0, isFirst: parent?.kind !== 'map' })
  }

  #close(kind: Frame['kind']): string {
    if (this.#begun === undefined) {
      this.#expect(this.#last === 'value' && this.#open.pop()?.kind === kind, 'value')
      return ''
    }
    this.#expect(this.#begun === kind, 'value')
    this.#begun = undefined
    return `${this.#open.at(-1)?.kind === 'map' ? ' ' : ''}${kind === 'map' ? '{}' : '[]'}`
  }

  /** Records the last part. Throws `SyntaxError` if the part is wrong here. */
  #expect(isRight: boolean, read: Part): void {
    if (!isRight) throw invalidJson()
    this.#last = read
  }
}

/** A part of JSON. */
type Part = 'nothing' | 'value' | 'key' | 'colon' | 'comma' | 'bracket'

/** A list or an object that has entries. */
interface Frame {
  readonly kind: 'map' | 'list'
  /** The number of spaces before its entries. */
  readonly indent: number
  /** `true` if the next entry continues the current line. The first key of an entry in a list does. */
  isFirst: boolean
}

/** The longest key that YAML allows without `?`, in characters. */
const longestKey = 1_000

const spaces = /\s+/y
const literal = /[^\s{}[\]:,"]+/y

/** Returns the line break and the spaces before an entry. The first entry may continue the line. */
function beginLine(frame: Frame): string {
  const start = frame.isFirst ? '' : `\n${' '.repeat(frame.indent)}`
  frame.isFirst = false
  return start
}

function invalidJson(): SyntaxError {
  return new SyntaxError('this is no JSON')
}

/** Texts that all versions of YAML read without quotes: words, ids and times. */
const plain =
  /^(?:\p{L}[\p{L}\p{N}_.-]*(?: [\p{L}\p{N}_.-]+)*|_[\w-]+|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)$/u
const reservedWord = /^(?:null|true|false|y|n|yes|no|on|off)$/i

/** Writes a key or a value, from its JSON. */
function writeScalar(token: string): string {
  const value: unknown = JSON.parse(token)
  if (typeof value !== 'string') return token
  if (value.length < longestKey && plain.test(value) && !reservedWord.test(value)) return value
  // Some YAML readers also take these characters for line ends.
  return escapedLine(JSON.stringify(value))
}
