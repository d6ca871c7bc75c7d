import type * as Library from 'yaml'
import type { CST, Document, Node, YAMLMap } from 'yaml'
import { ApiError } from '../contract/errors.js'
import { withoutStacks } from '../lib/caller-stack.js'
import { exceededLimit, nestingLimit, parseJson as parseExactJson, withoutBigInts } from '../lib/json.js'
import { lazyFor } from '../lib/lazy.js'
import { problemLines, quoted, UsageError, widthOf } from '../lib/messages.js'
import { TextEncoder } from '../lib/real-globals.js'
import { isTomlConfig, versionConfigText } from './advice.js'
import type { Problem } from './checks.js'
import { type Report, readScenario, undefinedForNull } from './read.js'
import type { CheckedScenario, ScenarioInput } from './schema.js'

/** The YAML library. The caller passes it, so that only callers that read texts load it. */
export type Yaml = typeof Library

/** Options for reading a text. */
export interface TextOptions {
  /** The name of the text in messages. Default: `scenario`. */
  readonly file?: string | undefined
}

/** Checks that a text has more than comments. An editor may still be writing an empty file. */
export function hasContent(text: string): boolean {
  // Line by line: most texts have content in the first ones.
  for (const [whole] of text.replace(/^\uFEFF/, '').matchAll(/[^\r\n]+/g)) {
    const line = whole.replace(/(^|\s)#.*$/, '').trim()
    if (!['', '---', '...', 'null', '~'].includes(line) && !line.startsWith('%')) return true
  }
  return false
}

/** Options of reading a text. */
export interface YamlOptions extends TextOptions {
  readonly yaml: Yaml
  /** Adds the source line to each problem. Default: false. */
  readonly carets?: boolean
  /** Default: commands of game servers are refused. */
  readonly commands?: 'allowed' | undefined
  /** The limits of a text that a client has sent. Default: none. */
  readonly limits?: TextLimits | undefined
}

interface TextLimits {
  /** The most values of a JSON text, as the sum of objects, arrays and commas. */
  readonly values: number
  /** The most characters of a YAML text. The library takes seconds for a MiB. */
  readonly yamlCharacters: number
}

/** The most characters of YAML that a client may send, and that the mock writes. */
export const longestYaml = 256 * 1024

/** Reads a scenario from YAML or JSON. Throws `UsageError` with a line for each problem, and `ApiError` beyond the limits. */
export function readYaml(text: string, options: YamlOptions): CheckedScenario {
  // Otherwise the problem would be that it is no YAML.
  if (isTomlConfig(text)) throw new UsageError(versionConfigText(options.file))
  const { content, report } = parseText(text, options)
  return readScenario(content, { report, file: options.file, commands: options.commands })
}

/** Checks a scenario as `readYaml` does, and returns it as it is in the text. */
export function parseYamlScenario(text: string, options: YamlOptions): ScenarioInput {
  const { content, report } = parseText(text, options)
  readScenario(content, { report, file: options.file, commands: options.commands })
  return undefinedForNull(content ?? {}) as ScenarioInput // read above
}

/** Parses a text, and returns a function that reports problems with their places in it. Throws as `readYaml` does. */
export function parseText(text: string, options: YamlOptions): { readonly content: unknown; readonly report?: Report } {
  const content = parseJson(text, options)
  if (content === undefined) {
    checkYamlLength(text, options)
    return parseYaml(text, options)
  }
  // Only the YAML library knows the places.
  if (isTooLongForYaml(text, options)) return { content }
  return { content, report: (problems, most) => parseYaml(text, options).report(problems, most) }
}

function isTooLongForYaml({ length }: string, { limits }: YamlOptions): boolean {
  return limits !== undefined && length > limits.yamlCharacters
}

function checkYamlLength(text: string, options: YamlOptions): void {
  if (!isTooLongForYaml(text, options)) return
  const { file = 'scenario', limits } = options
  const kind = isLikeJson(text) ? 'this is not valid JSON, and YAML' : 'YAML'
  throw new ApiError(
    'API_BODY_TOO_LARGE',
    `${file}: ${kind} may have ${limits?.yamlCharacters} characters over HTTP, not ${text.length}. Send valid JSON, or start the command with the file: mockmaker ${file}`,
  )
}

function isLikeJson(text: string): boolean {
  return /^\s*\{/.test(text)
}

const encoder = new TextEncoder()

/** Parses JSON faster than YAML does. `undefined` for any other text, and for what YAML refuses. Throws `ApiError`. */
function parseJson(text: string, { file = 'scenario', limits }: YamlOptions): unknown {
  if (!isLikeJson(text)) return undefined
  const exceeded = exceededLimit(encoder.encode(text), { levels: fileNestingLimit, values: limits?.values })
  if (exceeded === 'levels') return undefined
  if (exceeded === 'values')
    throw new ApiError(
      'API_BODY_TOO_LARGE',
      `${file} has more than ${limits?.values} objects, arrays and commas. Start the command with the file instead, which may be larger: mockmaker ${file}`,
    )
  try {
    const content = parseExactJson(text)
    return countColons(text) === countKeys(content) ? content : undefined
  } catch {
    return undefined
  }
}

/** Counts the colons outside of strings in a JSON text. There is one for each key. */
function countColons(text: string): number {
  let colons = 0
  let inString = false
  for (let i = 0; i < text.length; i += 1) {
    const character = text[i]
    if (inString && character === '\\') i += 1
    else if (character === '"') inString = !inString
    else if (!inString && character === ':') colons += 1
  }
  return colons
}

function countKeys(content: unknown): number {
  let keys = 0
  const open: unknown[] = [content]
  // The loop goes on with what it adds.
  for (const value of open) {
    if (typeof value !== 'object' || value === null) continue
    const inner = Object.values(value)
    if (!Array.isArray(value)) keys += inner.length
    for (const one of inner) if (typeof one === 'object') open.push(one)
  }
  return keys
}

function parseYaml(
  text: string,
  { file = 'scenario', yaml, carets = false }: YamlOptions,
): { readonly content: unknown; readonly report: Report } {
  const lines = new yaml.LineCounter()
  const placeOf = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return `${file}:${line}:${col}`
  }
  const source = carets ? (offset: number) => sourceLine(text, lines.linePos(offset)) : () => ''
  // One for each document.
  const tokens = [...new yaml.Parser(lines.addNewLine).parse(text)]
  const tooDeep = tokens.map(findTooDeep).find(token => token !== undefined)
  if (tooDeep) {
    const { offset } = tooDeep
    throw new UsageError(`${placeOf(offset)}: nests deeper than ${fileNestingLimit} levels.${source(offset)}`)
  }
  // Integers may be hexadecimal or octal, too.
  const intAsBigInt = /\d{16}|0[xo]/.test(text)
  const composer = new yaml.Composer({ stringKeys: true, uniqueKeys: false, intAsBigInt })
  // The library makes an error for each problem. Without their stacks that takes a tenth of the time.
  const documents = withoutStacks(() => [...composer.compose(tokens, true, text.length)])
  const problems = documents.flatMap((document, i) =>
    i > 0
      ? [{ at: document.range[0], message: 'this starts a second document, but a scenario has one' }]
      : syntaxProblems(document, yaml, offset => lines.linePos(offset).line),
  )
  if (problems.length > 0) {
    problems.sort((one, other) => one.at - other.at)
    const ending = (at: number) => (carets ? `.${source(at)}` : excerpt(text, at))
    throw new UsageError(problemLines(problems, ({ at, message }) => `${placeOf(at)}: ${message}${ending(at)}`))
  }
  const [document] = documents
  const content = contentOf(document, file)
  const report: Report = (problems, most) => {
    const offsetOf = document ? offsetsIn(document, yaml) : () => 0
    const placed = problems.map(problem => ({ problem, at: offsetOf(problem) }))
    placed.sort((one, other) => one.at - other.at)
    return problemLines(placed, ({ problem, at }) => `${placeOf(at)}: ${problem.text()}${source(at)}`, most)
  }
  return { content, report }
}

const shownWidth = 100 // characters

function sourceLine(text: string, { line, col }: { readonly line: number; readonly col: number }): string {
  const whole = text.split('\n', line)[line - 1] ?? ''
  const before = col - 1
  const start = whole.length <= shownWidth || before < shownWidth - 20 ? 0 : before - shownWidth / 2
  const cut = whole.slice(start, start + shownWidth)
  const [left, right] = [start > 0 ? '…' : '', start + shownWidth < whole.length ? '…' : '']
  const gutter = `${' '.repeat(Math.max(0, 4 - `${line}`.length))}${line} | `
  const margin = `${' '.repeat(gutter.length - 2)}| `
  const indent = ' '.repeat(widthOf(left + printable(cut.slice(0, before - start))))
  return `\n${gutter}${left}${printable(cut).trimEnd()}${right}\n${margin}${indent}^`
}

function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]/gu, ' ')
}

/** Deeper than any valid scenario, and too shallow to exhaust the stack of the composer. */
export const fileNestingLimit = 2 * nestingLimit

/** Finds the first token that nests too deep. It is not recursive: a hostile text would exhaust the stack. */
function findTooDeep(root: CST.Token): CST.Token | undefined {
  const open: { readonly token: CST.Token; readonly level: number }[] = [{ token: root, level: 0 }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { token, level } = next
    if (level > fileNestingLimit) return token
    for (const inner of innerTokens(token)) open.push({ token: inner, level: level + 1 })
  }
  return undefined
}

function innerTokens(token: CST.Token): CST.Token[] {
  if (token.type === 'document') return token.value ? [token.value] : []
  if (!('items' in token)) return []
  return token.items.flatMap(({ key, value }) => [key, value].filter(inner => inner != null))
}

interface SyntaxProblem {
  /** The offset in the text. */
  readonly at: number
  readonly message: string
}

/**
 * Lists the errors and warnings of the library, aliases without an anchor, aliases inside their own anchor, and repeated keys
 * of a map. The library also finds repeated keys, but it compares each key with all others.
 */
function syntaxProblems(
  document: Document.Parsed,
  { visit, isScalar }: Yaml,
  lineOf: (offset: number) => number,
): SyntaxProblem[] {
  const found = [...document.errors, ...document.warnings].map(({ message, pos }) => ({
    at: pos[0],
    message: plainMessages.find(([start]) => message.startsWith(start))?.[1] ?? message,
  }))
  const anchors = new Map<string, Node>()
  const [aliases, keys]: [SyntaxProblem[], SyntaxProblem[]] = [[], []]
  const keepAnchor = (node: Node & { anchor?: string }) =>
    void (node.anchor !== undefined && anchors.set(node.anchor, node))
  visit(document, {
    Value: (_, node) => keepAnchor(node),
    Map: (_, node) => {
      keepAnchor(node)
      const seen = new Map<unknown, number>()
      for (const { key } of node.items) {
        if (!isScalar(key)) continue
        const at = key.range?.[0] ?? 0
        const first = seen.get(key.value)
        if (first === undefined) seen.set(key.value, at)
        else keys.push({ at, message: `this map already has the key ${quoted(key.value)}, in line ${lineOf(first)}` })
      }
    },
    Alias: (_, alias, path) => {
      const target = anchors.get(alias.source)
      const at = alias.range?.[0] ?? 0
      if (!target) aliases.push({ at, message: 'this alias has no anchor before it' })
      else if (path.includes(target)) aliases.push({ at, message: 'this alias is inside its own anchor' })
    },
  })
  // In a text with errors, anchors may be lost.
  return [...found, ...(found.length > 0 ? [] : aliases), ...keys]
}

const plainMessages: readonly (readonly [start: string, message: string])[] = [
  [
    'Flow sequence in block collection',
    'a list that begins before this with [ is not closed, or its lines are not indented',
  ],
  ['Flow map in block collection', 'a map that begins before this with { is not closed, or its lines are not indented'],
  [
    'Nested mappings are not allowed',
    'the value of this key has keys: begin a new line for them, indent it less, or quote the value',
  ],
  ['Missing closing', 'a quote is not closed'],
  ['Plain value cannot start', 'a text may not begin with this character: quote the text'],
  ['Tabs are not allowed', 'a tab indents this line: use spaces'],
  ['All mapping items must start', 'the keys of a map must begin at the same column'],
  ['Implicit map keys need', 'a key needs a colon after it'],
]

function excerpt(text: string, at: number): string {
  const [rest = ''] = text
    .slice(at, at + 80)
    .trimStart()
    .split('\n')
  return rest === '' ? '.' : `: ${quoted(rest.trimEnd())}.`
}

function contentOf(document: Document.Parsed | undefined, file: string): unknown {
  try {
    return withoutBigInts(document?.toJS())
  } catch (error) {
    // YAML 1.1 has merge keys. The library throws a plain Error for a wrong one.
    if (error instanceof Error && error.message.startsWith('Merge sources'))
      throw new UsageError(`${file}: a merge key << needs a map, or an alias of one. Write its keys out.`)
    // The library refuses aliases of aliases of aliases, which would fill the memory from a small text.
    if (error instanceof ReferenceError)
      throw new UsageError(`${file}: its aliases expand to too many values. Write them out.`)
    throw error
  }
}

function offsetsIn(document: Document.Parsed, yaml: Yaml): (problem: Problem) => number {
  const innerNode = innerNodes(yaml)
  return ({ path, at }) => {
    let node: Node | null = document.contents
    let offset = startOf(node) ?? 0
    for (const [i, key] of path.entries()) {
      const inner = innerNode(yaml.isAlias(node) ? node.resolve(document) : node, key)
      if (!inner) return offset
      const keyed = at === 'key' && i === path.length - 1
      offset = (keyed ? undefined : startOf(inner.value)) ?? startOf(inner.key) ?? offset
      node = inner.value
    }
    return offset
  }
}

function innerNodes({ isMap, isScalar, isSeq }: Yaml) {
  // A map may have thousands of keys, and a problem with each.
  const pairsOf = lazyFor(
    ({ items }: YAMLMap<Node, Node | null>) =>
      new Map(items.map(pair => [isScalar(pair.key) ? pair.key.value : pair, pair])),
  )
  return (node: Node | null | undefined, key: PropertyKey) => {
    if (isSeq<Node>(node)) {
      const value = node.items[Number(key)]
      return value && { key: null, value }
    }
    return isMap<Node, Node>(node) ? pairsOf(node).get(key) : undefined
  }
}

function startOf(node: Node | null): number | undefined {
  return node?.range?.[0]
}
