import type * as Library from 'yaml'
import type { CST, Document, Node } from 'yaml'
import { quoted } from '../contract/issue.js'
import { nestingLimit } from '../contract/json.js'
import { problemLines, UsageError } from '../contract/usage-error.js'
import type { Problem } from './problem.js'
import { readScenario } from './read.js'
import type { Scenario } from './schema.js'

/** The YAML library. It is handed in, so that only those load it who read a text. */
export type Yaml = typeof Library

/** Where a text comes from. */
export interface TextOptions {
  /** What messages call it. Default: `scenario`. */
  readonly file?: string | undefined
}

interface Parsing extends TextOptions {
  readonly yaml: Yaml
}

/**
 * Reads a scenario from one document of YAML, or from JSON. Throws one `UsageError` with a line for each problem, which
 * begins with file, line and column.
 */
export function parseYaml(text: string, { file = 'scenario', yaml }: Parsing): Scenario {
  const lines = new yaml.LineCounter()
  const placeOf = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return `${file}:${line}:${col}`
  }
  const tokens = [...new yaml.Parser(lines.addNewLine).parse(text)]
  const tooDeep = tokens.map(deepest).find(token => token !== undefined)
  if (tooDeep) throw new UsageError(`${placeOf(tooDeep.offset)}: nests deeper than ${fileNestingLimit} levels.`)
  const documents = [...new yaml.Composer({ stringKeys: true }).compose(tokens, true, text.length)]
  const problems = documents.flatMap((document, i) =>
    i > 0 ? [secondDocument(document)] : syntaxProblems(document, yaml),
  )
  if (problems.length > 0) {
    throw new UsageError(problemLines(problems.map(({ at, said }) => `${placeOf(at)}: ${said}${excerpt(text, at)}`)))
  }
  const [document] = documents
  return readScenario(contentOf(document, file), problem =>
    placeOf(document ? offsetOf(problem, { document, yaml }) : 0),
  )
}

/** Deeper than any state may go, and far from what would exhaust the composer's stack. */
const fileNestingLimit = 2 * nestingLimit

/** The first token that lies too deep. Walks without recursion, because a hostile text nests deeper than the stack. */
function deepest(root: CST.Token): CST.Token | undefined {
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
  /** Where in the text. */
  readonly at: number
  readonly said: string
}

/** What the library says otherwise, or not for people who write scenarios. */
const sayings: Readonly<Record<string, string>> = { DUPLICATE_KEY: 'a key that is there already' }

function secondDocument({ range }: Document.Parsed): SyntaxProblem {
  return { at: range[0], said: 'a second document: a scenario is one' }
}

function syntaxProblems(document: Document.Parsed, yaml: Yaml): SyntaxProblem[] {
  const found = [...document.errors, ...document.warnings]
  if (found.length === 0) return aliasProblems(document, yaml)
  return found.map(({ code, message, pos }) => ({ at: pos[0], said: sayings[code] ?? message }))
}

/** Aliases that lead to nothing, and those that lead to what they stand in, which would have no end. */
function aliasProblems(document: Document.Parsed, { visit }: Yaml): SyntaxProblem[] {
  const anchors = new Map<string, Node>()
  const problems: SyntaxProblem[] = []
  visit(document, {
    Value: (_, node) => void (node.anchor !== undefined && anchors.set(node.anchor, node)),
    Alias: (_, alias, path) => {
      const target = anchors.get(alias.source)
      const at = alias.range?.[0] ?? 0
      if (!target) problems.push({ at, said: 'an alias without an anchor before it' })
      else if (path.includes(target)) problems.push({ at, said: 'an alias inside of what it stands for' })
    },
  })
  return problems
}

/** The rest of the line, for the end of a message. */
function excerpt(text: string, at: number): string {
  const [rest = ''] = text
    .slice(at, at + 80)
    .trimStart()
    .split('\n')
  return rest === '' ? '.' : `: ${quoted(rest.trimEnd())}.`
}

function contentOf(document: Document.Parsed | undefined, file: string): unknown {
  try {
    return document?.toJS()
  } catch (error) {
    // The library's word for aliases of aliases of aliases: a small text that would fill the memory.
    if (error instanceof ReferenceError)
      throw new UsageError(`${file}: its aliases stand for too much. Write them out.`)
    throw error
  }
}

interface Parsed {
  readonly document: Document.Parsed
  readonly yaml: Yaml
}

/** Where in the text a problem is: its place or, where that is missing, what it is missing from. */
function offsetOf({ path, at }: Problem, { document, yaml }: Parsed): number {
  const innerNode = innerNodeWith(yaml)
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

interface Inner {
  readonly key: Node | null
  readonly value: Node | null
}

function innerNodeWith({ isMap, isScalar, isSeq }: Yaml) {
  return (node: Node | null | undefined, key: PropertyKey): Inner | undefined => {
    if (isSeq<Node>(node)) {
      const value = node.items[Number(key)]
      return value && { key: null, value }
    }
    if (!isMap<Node, Node>(node)) return undefined
    return node.items.find(pair => isScalar(pair.key) && pair.key.value === key)
  }
}

function startOf(node: Node | null): number | undefined {
  return node?.range?.[0]
}
