/**
 * Writes JSON as YAML while it comes, piece by piece, in the order of its keys. Keeps one key or value at a time, however
 * long the JSON is. Throws `SyntaxError` where it is no JSON.
 */
export class JsonToYaml {
  #rest = ''
  /** How much of an unfinished text has been looked at. */
  #scanned = 0
  readonly #open: Frame[] = []
  /** A list or an object of which only the bracket has come: an empty one is written otherwise. */
  #begun: Frame['kind'] | undefined
  /** What has been read last, which says what may come next. */
  #last: Part = 'nothing'

  /** The YAML of the next piece. */
  push(piece: string): string {
    this.#rest += piece
    return this.#write(false)
  }

  /** The YAML of what is left. */
  end(): string {
    const text = this.#write(true)
    if (this.#rest !== '' || this.#open.length > 0 || this.#begun || this.#last !== 'value') throw broken()
    return `${text}\n`
  }

  #write(isLast: boolean): string {
    const written: string[] = []
    const text = this.#rest
    let at = 0
    while (at < text.length) {
      const end = this.#endOfToken(text, at)
      // A number may go on in the next piece.
      if (end === undefined || (end === text.length && !isLast && !/[{}[\]:,"\s]/.test(text[at] ?? ''))) break
      const token = text.slice(at, end).trim()
      if (token !== '') written.push(this.#token(token))
      at = end
    }
    this.#rest = text.slice(at)
    return written.join('')
  }

  /** Where a token ends; `undefined` where that has not come yet. */
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
        // An escape may stand at the end.
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
    const before = this.#begun === undefined ? '' : this.#openFrame(this.#begun)
    const frame = this.#open.at(-1)
    if (token === ',') return before + this.#expect(frame && this.#last === 'value', 'comma')
    if (token === ':') return before + this.#expect(this.#last === 'key', 'colon')
    if (frame?.kind === 'map' && this.#last !== 'colon') return before + this.#key(token)
    this.#expect(
      frame === undefined ? this.#last === 'nothing' : frame.kind === 'map' || this.#last !== 'value',
      'value',
    )
    const prefix = before + (frame?.kind === 'list' ? `${startOf(frame)}- ` : '')
    if (token !== '{' && token !== '[') return prefix + (frame?.kind === 'map' ? ' ' : '') + scalar(token)
    this.#begun = token === '{' ? 'map' : 'list'
    this.#last = 'bracket'
    return prefix
  }

  #key(token: string): string {
    const frame = this.#open.at(-1) as Frame // it is in an object
    this.#expect(token.startsWith('"') && this.#last !== 'value' && this.#last !== 'key', 'key')
    const key = scalar(token)
    const start = startOf(frame)
    return key.length <= longestKey ? `${start}${key}:` : `${start}? ${key}\n${' '.repeat(frame.indent)}:`
  }

  #openFrame(kind: Frame['kind']): string {
    const parent = this.#open.at(-1)
    this.#begun = undefined
    this.#open.push({ kind, indent: parent ? parent.indent + 2 : 0, isFirst: parent?.kind !== 'map' })
    return ''
  }

  #close(kind: Frame['kind']): string {
    if (this.#begun !== undefined) {
      this.#expect(this.#begun === kind, 'value')
      this.#begun = undefined
      return `${this.#open.at(-1)?.kind === 'map' ? ' ' : ''}${kind === 'map' ? '{}' : '[]'}`
    }
    return this.#expect(this.#last === 'value' && this.#open.pop()?.kind === kind, 'value')
  }

  #expect(isRight: boolean | undefined, last: Part): '' {
    if (!isRight) throw broken()
    this.#last = last
    return ''
  }
}

/** A part of JSON. */
type Part = 'nothing' | 'value' | 'key' | 'colon' | 'comma' | 'bracket'

/** A list or an object that has entries. */
interface Frame {
  readonly kind: 'map' | 'list'
  /** How many spaces stand before its entries. */
  readonly indent: number
  /** Whether its next entry stands in the line that is there: the first one of an entry of a list. */
  isFirst: boolean
}

/** The longest key, in characters, that YAML takes without a question mark. */
const longestKey = 1_000

const spaces = /\s+/y
const literal = /[^\s{}[\]:,"]+/y

function startOf(frame: Frame): string {
  const start = frame.isFirst ? '' : `\n${' '.repeat(frame.indent)}`
  frame.isFirst = false
  return start
}

function broken(): SyntaxError {
  return new SyntaxError('this is no JSON')
}

/** What YAML takes for a text without quotes, in its older versions too: words, ids and points in time. */
const plain =
  /^(?:\p{L}[\p{L}\p{N}_.-]*(?: [\p{L}\p{N}_.-]+)*|_[\w-]+|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)$/u
const otherwiseTaken = /^(?:null|true|false|y|n|yes|no|on|off)$/i

/** Characters that terminals obey, or that other YAML readers take for line ends. */
const hidden = /[\p{Cc}\p{Bidi_Control}\u2028\u2029\ufeff]/gu

/** A key or a value, from its JSON. */
function scalar(token: string): string {
  const value: unknown = JSON.parse(token)
  if (typeof value !== 'string') return token
  if (value.length < longestKey && plain.test(value) && !otherwiseTaken.test(value)) return value
  return JSON.stringify(value).replaceAll(
    hidden,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
