import type * as z from 'zod'
import { nearest } from '../lib/did-you-mean.js'
import { type Issue, likelyIssues, listKnownKeys, type Path, pathText, valueAt } from '../lib/issues.js'
import { problemLines, UsageError } from '../lib/usage-error.js'
import { renamedKey } from './advice.js'
import { check } from './checks.js'
import { type Problem, problemsOf } from './problems.js'
import { Scenario } from './schema.js'

/** Makes the message of the problems of a scenario. There is at least one. */
type Report = (problems: readonly Problem[]) => string

/**
 * Reads a scenario: finds all that is wrong with its shape, and all that does not fit together in the rest of it.
 * Throws one `UsageError`: without `report` with a line for each problem, in the order of the input.
 */
export function readScenario(input: unknown, report?: Report): Scenario {
  const present = withoutAbsent(input ?? {})
  // To compile the schema takes longer than to check all but the longest scenarios, and few are read in one process.
  const { data, error } = Scenario.safeParse(present, { jitless: true, error: listKnownKeys })
  const problems = error ? [...problemsOf(error, present), ...checkRest(present, error)] : check(data)
  if (data && problems.length === 0) return data
  throw new UsageError((report ?? reportOn(present))(problems))
}

/** Checks the valid part of a scenario whose shape is wrong elsewhere. */
function checkRest(input: unknown, error: z.ZodError): Problem[] {
  const part = validPart(input, error)
  if (!part) return []
  return check(part.scenario).flatMap(problem => part.inWhole(problem) ?? [])
}

/** Writes a line for each problem, in the order of the input. A missing key stands where its entry does. */
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
  /** The problem with the paths of the whole input; `undefined` where a removed part may have caused it. */
  inWhole(problem: Problem): Problem | undefined
}

/** How many times parts are removed and the rest is parsed again. */
const mostRounds = 8

/**
 * Removes what the schema refuses, so that the rest can be checked too: a wrong key, or an entry that lacks a required key.
 * Returns `undefined` where nothing is left.
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

/** A copy of an input from which parts are removed. It knows how the paths were before. */
class Rest {
  readonly input: unknown
  readonly #lost = new LostPaths()
  /** For each list that lost entries: the indexes that the remaining ones had in the whole input. */
  readonly #indexes = new WeakMap<object, readonly number[]>()

  constructor(copy: unknown) {
    this.input = copy
  }

  /** Removes the parts that issues are about. Returns whether anything is left. */
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
    // The key that it was meant to be is missing as well.
    for (const key of issue.keys) {
      const right = renamedKey([...issue.path, key]) ?? nearest(key, issue.message.split(' '))
      if (right !== undefined) this.#lost.add(this.#wholePath([...issue.path, right]))
    }
    return issue.keys.map(key => [...issue.path, key])
  }

  /** A path of the rest, as it is in the whole input. */
  #wholePath(path: Path): Path {
    return path.map((key, i) => {
      if (typeof key !== 'number') return key
      const list = valueAt(this.input, path.slice(0, i))
      return (typeof list === 'object' && list !== null && this.#indexes.get(list)?.[key]) || key
    })
  }
}

/** The removed paths of the whole input. As texts, because there may be thousands. */
class LostPaths {
  readonly #paths = new Set<string>()
  readonly #beginnings = new Set<string>()
  readonly #parents = new Set<string>()
  /** Whether a name of a game or a namespace was removed. */
  names = false

  add(path: Path): void {
    this.#paths.add(keyOf(path))
    this.#parents.add(keyOf(path.slice(0, -1)))
    for (const beginning of beginningsOf(path)) this.#beginnings.add(beginning)
    const keys = path.filter(key => typeof key !== 'number').join('.')
    this.names ||= ['games', 'games.name_id', 'games.namespaces', 'games.namespaces.name_id'].includes(keys)
  }

  /** Whether anything was removed at a path, in it, or around it. */
  touches(path: Path): boolean {
    return this.#beginnings.has(keyOf(path)) || this.#surround(path)
  }

  /** Whether a list, or an entry of it, was removed. */
  isIncomplete(list: Path): boolean {
    return this.#parents.has(keyOf(list)) || this.#surround(list)
  }

  #surround(path: Path): boolean {
    return beginningsOf(path).some(beginning => this.#paths.has(beginning))
  }
}

/** A path and all that it begins with. */
function beginningsOf(path: Path): string[] {
  return path.map((_, i) => keyOf(path.slice(0, i + 1)))
}

function keyOf(path: Path): string {
  return JSON.stringify(path)
}

/** How deep a key of the format may lie: that of a port's range is in a range, port, list of ports, … of a game. */
const deepestLevel = 11

/** Keys whose values are any JSON: the game's own, what a fault answers with, and what a request had in its body. */
const owned = ['state', 'lobby_config', 'metadata', 'body']

/**
 * An input without the keys that say nothing: `lobbies:` with nothing after it is null in YAML, and is as good as no key.
 * A value that may be any JSON, such as a `state` or the `metadata` of a fault, stays as it is.
 */
export function withoutAbsent(input: unknown, levels = deepestLevel): unknown {
  if (typeof input !== 'object' || input === null || levels === 0) return input
  if (Array.isArray(input)) return input.map(inner => withoutAbsent(inner, levels - 1))
  const present = Object.entries(input).filter(
    ([key, value]) => value !== undefined && (value !== null || owned.includes(key)),
  )
  return Object.fromEntries(
    present.map(([key, value]) => [key, owned.includes(key) ? value : withoutAbsent(value, levels - 1)]),
  )
}
