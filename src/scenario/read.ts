import type * as z from 'zod'
import { type Issue, issueText, likelyIssues, listKnownKeys, type Path, pathText, valueAt } from '../lib/issues.js'
import { didYouMean, nearest } from '../lib/text.js'
import { problemLines, UsageError } from '../lib/usage-error.js'
import { keyAdvice, rightKey, valueAdvice } from './advice.js'
import { check, keyProblem, type Problem } from './checks.js'
import { Scenario } from './schema.js'
import { commandProblems } from './server-commands.js'

/** Writes a message about one or more problems. */
type Report = (problems: readonly Problem[]) => string

interface ReadOptions {
  /** By default the message has a line for each problem, in the order of the input. */
  readonly report?: Report
  /** Commands of game servers are allowed in the text of a file. Default: refused. */
  readonly commands?: 'allowed'
}

/**
 * Decodes and checks a scenario. Throws one `UsageError` with all problems: those of the schema, and those that `check` finds
 * in the valid part.
 */
export function readScenario(input: unknown, { report, commands }: ReadOptions = {}): Scenario {
  const present = withoutAbsent(input ?? {})
  // A process reads few scenarios, and compiling the schema takes longer than checking most of them.
  const { data, error } = Scenario.safeParse(present, { jitless: true, error: listKnownKeys })
  const problems = error ? [...problemsOf(error, present), ...checkValidPart(present, error)] : check(data)
  if (data && commands !== 'allowed') problems.push(...commandProblems(data))
  if (data && problems.length === 0) return data
  throw new UsageError((report ?? reportOn(present))(problems))
}

/** Turns the issues of the schema into problems. */
function problemsOf(error: z.ZodError, input: unknown): Problem[] {
  return error.issues.flatMap(likelyIssues).flatMap(issue => {
    if (issue.code === 'unrecognized_keys') return issue.keys.map(key => unknownKey(issue, key, input))
    const subject = issue.path.length === 0 ? 'the scenario ' : ''
    return {
      path: issue.path,
      at: 'value',
      text: () => `${subject}${issueText(issue, input)}${valueAdvice(issue, input)}`,
    }
  })
}

function unknownKey({ path, message }: Issue, key: string, input: unknown): Problem {
  const at = [...path, key]
  return keyProblem(at, () => {
    const advice = keyAdvice(at, input)
    return `is an unknown key${advice === undefined ? `.${didYouMean(key, message.split(' '))}` : `: ${advice}.`}`
  })
}

/** The most rounds of removing parts and parsing the rest. */
const mostRounds = 8

/**
 * Checks the valid part of an input that the schema refuses: without wrong keys, and without entries that lack a required
 * key.
 */
function checkValidPart(input: unknown, error: z.ZodError): Problem[] {
  const part = new ValidPart(withoutAbsent(input))
  let { issues } = error
  for (let round = 0; round < mostRounds; round += 1) {
    if (!part.remove(issues.flatMap(likelyIssues))) return []
    const parsed = Scenario.safeParse(part.input, { jitless: true, error: listKnownKeys })
    if (parsed.success) return check(parsed.data).flatMap(problem => part.originalOf(problem) ?? [])
    issues = parsed.error.issues
  }
  return []
}

/** Writes a line for each problem, in the order of the input. The position of a missing key is that of its entry. */
function reportOn(input: unknown): Report {
  const indexesOf = new WeakMap<object, ReadonlyMap<PropertyKey, number>>()
  const indexIn = (value: object, key: PropertyKey) => {
    if (typeof key === 'number') return key
    const indexes = indexesOf.get(value) ?? new Map(Object.keys(value).map((name, i) => [name, i]))
    indexesOf.set(value, indexes)
    return indexes.get(key)
  }
  const positionOf = (path: Path) => {
    const position: number[] = []
    let value = input
    for (const key of path) {
      const index = typeof value === 'object' && value !== null ? indexIn(value, key) : undefined
      if (index === undefined) break
      position.push(index)
      value = valueAt(value, [key])
    }
    return position
  }
  return problems => {
    const placed = problems.map(problem => ({ problem, position: positionOf(problem.path) }))
    placed.sort((one, other) => compare(one.position, other.position))
    return problemLines(placed, ({ problem }) => `scenario: ${problem.text()}`)
  }
}

function compare(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((index, i) => index !== other[i])
  return at === -1 ? one.length - other.length : (one[at] ?? 0) - (other[at] ?? -1)
}

/** A copy of an input from which parts are removed. It knows the original paths. */
class ValidPart {
  readonly input: unknown
  readonly #removed = new RemovedPaths()
  /** The original indexes of entries, for each list that lost some. */
  readonly #indexes = new WeakMap<object, readonly number[]>()

  constructor(copy: unknown) {
    this.input = copy
  }

  /** Removes the wrong parts. Returns false if nothing is left. */
  remove(issues: readonly Issue[]): boolean {
    const entries = new Map<unknown[], Set<number>>()
    for (const path of issues.flatMap(issue => this.#wrongParts(issue))) {
      const key = path.at(-1)
      const parent = valueAt(this.input, path.slice(0, -1))
      if (key === undefined) return false
      // An earlier path of this round may have removed the parent.
      if (typeof parent !== 'object' || parent === null) continue
      this.#removed.add(this.#originalPath(path))
      if (!Array.isArray(parent)) Reflect.deleteProperty(parent, key)
      else entries.set(parent, (entries.get(parent) ?? new Set()).add(Number(key)))
    }
    for (const [list, gone] of entries) {
      const indexes = this.#indexes.get(list) ?? list.map((_, i) => i)
      this.#indexes.set(
        list,
        indexes.filter((_, i) => !gone.has(i)),
      )
      list.splice(0, list.length, ...list.filter((_, i) => !gone.has(i)))
    }
    return true
  }

  /** Returns the problem with its original path. `undefined` if a removed part may have caused it. */
  originalOf(problem: Problem): Problem | undefined {
    const { whole = [], entries = [], names = false } = problem.evidence ?? {}
    const isUncertain =
      (names && this.#removed.names) ||
      whole.some(path => this.#removed.overlaps(this.#originalPath(path))) ||
      entries.some(list => this.#removed.isIncomplete(this.#originalPath(list)))
    if (isUncertain) return undefined
    const show = (path: Path) => pathText(this.#originalPath(path))
    return { ...problem, path: this.#originalPath(problem.path), text: () => problem.text(show) }
  }

  /** Returns the paths to remove because of an issue: a wrong value, or the entry that lacks a key. */
  #wrongParts(issue: Issue): Path[] {
    if (issue.code !== 'unrecognized_keys')
      return [valueAt(this.input, issue.path) === undefined ? issue.path.slice(0, -1) : issue.path]
    // The right key counts as removed, too.
    for (const key of issue.keys) {
      const right = rightKey([...issue.path, key]) ?? nearest(key, issue.message.split(' '))
      if (right !== undefined) this.#removed.add(this.#originalPath([...issue.path, right]))
    }
    return issue.keys.map(key => [...issue.path, key])
  }

  /** Returns the original path of a part of the input. */
  #originalPath(path: Path): Path {
    return path.map((key, i) => {
      if (typeof key !== 'number') return key
      const list = valueAt(this.input, path.slice(0, i))
      return (typeof list === 'object' && list !== null && this.#indexes.get(list)?.[key]) || key
    })
  }
}

/** The original paths of removed parts. They are texts, for fast look-ups: there may be thousands. */
class RemovedPaths {
  readonly #paths = new Set<string>()
  readonly #beginnings = new Set<string>()
  readonly #parents = new Set<string>()
  /** True if a name of a game or a namespace was removed. */
  names = false

  add(path: Path): void {
    this.#paths.add(keyOf(path))
    this.#parents.add(keyOf(path.slice(0, -1)))
    for (const beginning of beginningsOf(path)) this.#beginnings.add(beginning)
    const keys = path.filter(key => typeof key !== 'number').join('.')
    this.names ||= ['games', 'games.name_id', 'games.namespaces', 'games.namespaces.name_id'].includes(keys)
  }

  /** Checks if the value at a path, a part of it, or a value around it was removed. */
  overlaps(path: Path): boolean {
    return this.#beginnings.has(keyOf(path)) || this.#isInsideRemoved(path)
  }

  /** Checks if a list, or an entry of it, was removed. */
  isIncomplete(list: Path): boolean {
    return this.#parents.has(keyOf(list)) || this.#isInsideRemoved(list)
  }

  #isInsideRemoved(path: Path): boolean {
    return beginningsOf(path).some(beginning => this.#paths.has(beginning))
  }
}

/** Lists a path and the paths around it. */
function beginningsOf(path: Path): string[] {
  return path.map((_, i) => keyOf(path.slice(0, i + 1)))
}

function keyOf(path: Path): string {
  return JSON.stringify(path)
}

/** The deepest level of a key of the format: `games[].namespaces[].game_modes[].ports.lobby_ports[].port_range.min`. */
const deepestLevel = 11

/** The keys whose values are any JSON. */
const jsonKeys = ['state', 'lobby_config', 'metadata', 'body']

/**
 * Copies an input without keys that are null or undefined. In YAML, `lobbies:` with nothing after it is null, and means that
 * the key is absent. Values of any JSON stay the same.
 */
export function withoutAbsent(input: unknown, levels = deepestLevel): unknown {
  if (typeof input !== 'object' || input === null || levels === 0) return input
  if (Array.isArray(input)) return input.map(inner => withoutAbsent(inner, levels - 1))
  const present = Object.entries(input).filter(
    ([key, value]) => value !== undefined && (value !== null || jsonKeys.includes(key)),
  )
  return Object.fromEntries(
    present.map(([key, value]) => [key, jsonKeys.includes(key) ? value : withoutAbsent(value, levels - 1)]),
  )
}
