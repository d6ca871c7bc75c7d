import { type Issue, issueText, likelyIssues, listKnownKeys, type Path, valueAt } from '../lib/issues.js'
import { keepAllDigits, keepDigits } from '../lib/json.js'
import { lazyFor } from '../lib/lazy.js'
import { didYouMean, mostProblems, problemLines, UsageError } from '../lib/messages.js'
import { importedText, keyAdvice, valueAdvice } from './advice.js'
import { check, oldKeys, type Problem, problem } from './checks.js'
import { commandProblems } from './commands.js'
import { foreignCapsule, readPast } from './past.js'
import { CheckedScenario, Scenario, type ScenarioInput } from './schema.js'
import { defaultScenario, defaultText } from './shipped.js'

/** Writes a message about one or more problems. It lists the first ones: see `listedProblems`. */
export type Report = (problems: readonly Problem[], most?: number) => string

interface ReadOptions {
  /** By default the message has a line for each problem, in the order of the input. */
  readonly report?: Report | undefined
  /** Its file, for messages. Default: it has none. */
  readonly file?: string | undefined
  /** Only a file or an object of the user's own may have commands of game servers. Default: refused. */
  readonly commands?: 'allowed' | undefined
}

/** Decodes and checks a scenario, unless that is done. Throws one `UsageError` with all problems. */
export function readScenario(input: unknown, { report, file, commands }: ReadOptions = {}): CheckedScenario {
  if (input instanceof CheckedScenario) return input
  // A test has checked it and its rows, and it has the same form in memory. The first use of a schema takes many times longer
  // than the later ones.
  if (input === defaultScenario && JSON.stringify(input) === defaultText)
    return new CheckedScenario(JSON.parse(defaultText), { areRowsValid: true })
  const [present, { data, error }] = parseScenario(input ?? {})
  const problems = data
    ? [...check(data), ...(commands === 'allowed' && !data.past ? [] : commandProblems(data))]
    : problemsOf(error.issues, present)
  const imported = problems.length > 0 ? importedText(input, file) : undefined
  if (imported !== undefined) throw new UsageError(imported)
  const describe = report ?? reportOn(present, file)
  if (!data || problems.length > 0)
    throw new UsageError(`${foreignCapsule(present, file)}${describe(problems.slice(0, mostProblems))}`)
  const old = [...oldKeys(data)]
  // biome-ignore lint/suspicious/noConsole: a warning has no other way to the writer of the scenario
  if (old.length > 0) console.warn(`mockmaker: warning: ${describe(old)}`)
  const { past, ...content } = data
  const read = past && readPast(past, file)
  return new CheckedScenario(keepAllDigits(read ? { ...content, past: { ...read } } : content, present))
}

function parseScenario(input: unknown) {
  // A process reads few scenarios, and compiling the schema takes longer than checking most of them.
  const parse = (part: unknown) => Scenario().safeParse(part, { jitless: true, error: listKnownKeys })
  // Finding a mistake in each of many entries would take seconds.
  const start = isLong(input) ? undefinedForNull(input, deepestLevel, mostProblems) : undefined
  const parsed = start === undefined ? undefined : parse(start)
  if (parsed?.error) return [start, parsed] as const
  const present = undefinedForNull(input)
  try {
    return [present, parse(present)] as const
  } catch (error) {
    // The library passes all mistakes as arguments of a call.
    if (error instanceof RangeError)
      throw new UsageError('the scenario has some 100,000 mistakes: see what has written it')
    throw error
  }
}

function isLong(input: unknown, levels = deepestLevel): boolean {
  if (typeof input !== 'object' || input === null || levels === 0) return false
  const entries: unknown[] = Array.isArray(input) ? input : Object.values(input)
  return entries.length > mostProblems || entries.some(entry => isLong(entry, levels - 1))
}

/** Decodes and checks a snapshot, which is a scenario with a revision. Throws `UsageError`. */
export function readSnapshot(input: ScenarioInput | CheckedScenario): CheckedScenario {
  const { revision } = input instanceof CheckedScenario ? input.content : (input ?? {})
  if (typeof revision === 'number') return readScenario(input)
  throw new UsageError('revision is missing: this is not a snapshot. Load a scenario with PUT /__mock/scenario instead')
}

function problemsOf(issues: readonly Issue[], input: unknown): Problem[] {
  return likelyIssues(issues).flatMap(issue => {
    if (issue.code === 'unrecognized_keys') return issue.keys.map(key => unknownKey(issue, key))
    const subject = issue.path.length === 0 ? 'the scenario ' : ''
    return {
      path: issue.path,
      at: 'value',
      text: () => `${subject}${issueText(issue, input)}${valueAdvice(issue, input)}`,
    }
  })
}

function unknownKey({ path, message }: Issue, key: string): Problem {
  const at = [...path, key]
  const text = () => {
    const advice = keyAdvice(at)
    return `is an unknown key${advice === undefined ? `.${didYouMean(key, message.split('\n'))}` : `: ${advice}.`}`
  }
  return problem(at, text, 'key')
}

/** Writes a line for each problem, in the order of the input. The position of a missing key is that of its entry. */
function reportOn(input: unknown, file = 'scenario'): Report {
  const indexesOf = lazyFor(
    (value: object) => new Map<PropertyKey, number>(Object.keys(value).map((key, i) => [key, i])),
  )
  const indexIn = (value: object, key: PropertyKey) => (typeof key === 'number' ? key : indexesOf(value).get(key))
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
  return (problems, most) => {
    const placed = problems.map(problem => ({ problem, position: positionOf(problem.path) }))
    placed.sort((one, other) => compare(one.position, other.position))
    return problemLines(placed, ({ problem }) => `${file}: ${problem.text()}`, most)
  }
}

function compare(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((index, i) => index !== other[i])
  return at === -1 ? one.length - other.length : (one[at] ?? 0) - (other[at] ?? -1)
}

/** The deepest level of a key of the format: `games[].namespaces[].game_modes[].ports.lobby_ports[].port_range.min`. */
const deepestLevel = 11

/** The keys whose values are any JSON. */
const jsonKeys = ['state', 'lobby_config', 'metadata', 'body', 'past']

/**
 * Copies an input with undefined in place of null. In YAML, `lobbies:` with nothing after it is null, and means that the key
 * is absent. An unknown key stays one. Values of any JSON stay the same. `most`: the most entries of each array and object.
 */
export function undefinedForNull(input: unknown, levels = deepestLevel, most?: number): unknown {
  if (typeof input !== 'object' || input === null || levels === 0) return input
  if (Array.isArray(input)) return input.slice(0, most).map(inner => undefinedForNull(inner, levels - 1, most))
  const present = Object.entries(input).filter(([, inner]) => inner !== undefined)
  const copied = present
    .slice(0, most)
    .map(([key, inner]) => [
      key,
      jsonKeys.includes(key) ? inner : undefinedForNull(inner ?? undefined, levels - 1, most),
    ])
  return keepDigits(Object.fromEntries(copied), input)
}
