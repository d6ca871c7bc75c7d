import type * as z from 'zod'
import { type Issue, issueText, likelyIssues, listKnownKeys, type Path, pathText, valueAt } from '../lib/issues.js'
import { didYouMean, nearest } from '../lib/text.js'
import { problemLines, UsageError } from '../lib/usage-error.js'
import { keyAdvice, rightKey, valueAdvice } from './advice.js'
import { check, keyProblem, type Problem } from './checks.js'
import { Scenario } from './schema.js'

/** Writes the message about problems. There is at least one. */
type Report = (problems: readonly Problem[]) => string

/**
 * Decodes and checks a scenario. Throws one `UsageError` for all problems: those that the schema finds, and those that
 * `check` finds in the valid part. By default the message has a line for each problem, in the order of the input.
 */
export function readScenario(input: unknown, report?: Report): Scenario {
  const present = withoutAbsent(input ?? {})
  // Compiling the schema takes longer than checking all but the longest scenarios, and a process reads few.
  const { data, error } = Scenario.safeParse(present, { jitless: true, error: listKnownKeys })
  const problems = error ? [...problemsOf(error, present), ...checkRest(present, error)] : check(data)
  if (data && problems.length === 0) return data
  throw new UsageError((report ?? reportOn(present))(problems))
}

/** The problems of an input that the schema refuses. */
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

/** Checks the valid part of a scenario whose shape is wrong elsewhere. */
function checkRest(input: unknown, error: z.ZodError): Problem[] {
  const part = validPart(input, error)
  if (!part) return []
  return check(part.scenario).flatMap(problem => part.inWhole(problem) ?? [])
}

/** Writes a line for each problem, in the order of the input. A missing key counts as the start of its entry. */
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
      value = (value as Readonly<Record<PropertyKey, unknown>>)[key] // it has that key
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

/** A scenario without the parts that the schema refuses. */
interface ValidPart {
  readonly scenario: Scenario
  /** The problem with the paths of the whole input. `undefined` if a removed part may have caused it. */
  inWhole(problem: Problem): Problem | undefined
}

/** The most times that parts are removed and the rest is parsed again. */
const mostRounds = 8

/**
 * Removes what the schema refuses, so that the rest can be checked too: a wrong key, or an entry without a required key.
 * Returns `undefined` if nothing is left.
 */
function validPart(input: unknown, error: z.ZodError): ValidPart | undefined {
  const rest = new Rest(withoutAbsent(input))
  let { issues } = error
  for (let round = 0; round < mostRounds; round += 1) {
    if (!rest.remove(issues.flatMap(likelyIssues))) return undefined
    const parsed = Scenario.safeParse(rest.input, { jitless: true, error: listKnownKeys })
    if (parsed.success) return { scenario: parsed.data, inWhole: problem => rest.inWhole(problem) }
    issues = parsed.error.issues
  }
  return undefined
}

/** A copy of an input without the removed parts. It knows the original paths. */
class Rest {
  readonly input: unknown
  readonly #lost = new LostPaths()
  /** The original indexes of the entries in lists that lost some. */
  readonly #indexes = new WeakMap<object, readonly number[]>()

  constructor(copy: unknown) {
    this.input = copy
  }

  /** Removes the parts that issues concern. Returns whether anything is left. */
  remove(issues: readonly Issue[]): boolean {
    const entries = new Map<unknown[], Set<number>>()
    for (const path of issues.flatMap(issue => this.#wrongParts(issue))) {
      const key = path.at(-1)
      const parent = valueAt(this.input, path.slice(0, -1))
      if (key === undefined) return false
      // Its parent may have been removed in this round.
      if (typeof parent !== 'object' || parent === null) continue
      this.#lost.add(this.#wholePath(path))
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

  inWhole(problem: Problem): Problem | undefined {
    const { whole = [], entries = [], names = false } = problem.evidence ?? {}
    const isUncertain =
      (names && this.#lost.names) ||
      whole.some(path => this.#lost.touches(this.#wholePath(path))) ||
      entries.some(list => this.#lost.isIncomplete(this.#wholePath(list)))
    if (isUncertain) return undefined
    const show = (path: Path) => pathText(this.#wholePath(path))
    return { ...problem, path: this.#wholePath(problem.path), text: () => problem.text(show) }
  }

  /** The paths to remove because of an issue: a wrong value, or the entry that lacks a key. */
  #wrongParts(issue: Issue): Path[] {
    if (issue.code !== 'unrecognized_keys')
      return [valueAt(this.input, issue.path) === undefined ? issue.path.slice(0, -1) : issue.path]
    // The right key is missing as well.
    for (const key of issue.keys) {
      const right = rightKey([...issue.path, key]) ?? nearest(key, issue.message.split(' '))
      if (right !== undefined) this.#lost.add(this.#wholePath([...issue.path, right]))
    }
    return issue.keys.map(key => [...issue.path, key])
  }

  /** The original path of a part of the rest. */
  #wholePath(path: Path): Path {
    return path.map((key, i) => {
      if (typeof key !== 'number') return key
      const list = valueAt(this.input, path.slice(0, i))
      return (typeof list === 'object' && list !== null && this.#indexes.get(list)?.[key]) || key
    })
  }
}

/** The original paths of removed parts, as texts, because there may be thousands. */
class LostPaths {
  readonly #paths = new Set<string>()
  readonly #beginnings = new Set<string>()
  readonly #parents = new Set<string>()
  /** `true` once a name of a game or a namespace was removed. */
  names = false

  add(path: Path): void {
    this.#paths.add(keyOf(path))
    this.#parents.add(keyOf(path.slice(0, -1)))
    for (const beginning of beginningsOf(path)) this.#beginnings.add(beginning)
    const keys = path.filter(key => typeof key !== 'number').join('.')
    this.names ||= ['games', 'games.name_id', 'games.namespaces', 'games.namespaces.name_id'].includes(keys)
  }

  /** Checks if anything was removed at a path, in it, or around it. */
  touches(path: Path): boolean {
    return this.#beginnings.has(keyOf(path)) || this.#surround(path)
  }

  /** Checks if a list, or an entry of it, was removed. */
  isIncomplete(list: Path): boolean {
    return this.#parents.has(keyOf(list)) || this.#surround(list)
  }

  #surround(path: Path): boolean {
    return beginningsOf(path).some(beginning => this.#paths.has(beginning))
  }
}

/** The path itself and the paths around it. */
function beginningsOf(path: Path): string[] {
  return path.map((_, i) => keyOf(path.slice(0, i + 1)))
}

function keyOf(path: Path): string {
  return JSON.stringify(path)
}

/** The deepest level of a key of the format: the limits of a port range, below ports, game modes, namespaces and games. */
const deepestLevel = 11

/** Keys whose values are any JSON, such as the state of a lobby, or the body of a request. */
const jsonKeys = ['state', 'lobby_config', 'metadata', 'body']

/**
 * An input without keys that are null or undefined: `lobbies:` with nothing after it is null in YAML, and means no key.
 * Values that may be any JSON stay as they are.
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
