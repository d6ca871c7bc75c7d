import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { yaml } from '#lazy'
import { asUsageError, didYouMean, scenarioFile, UsageError } from '../../core/lib/messages.js'
import { runAtOnce, type Steps } from '../../core/lib/steps.js'
import { readScenario } from '../../core/scenario/read.js'
import type { CheckedScenario, ScenarioInput } from '../../core/scenario/schema.js'
import { scenarios } from '../../core/scenario/shipped.js'
import { jsonToYaml } from '../../core/scenario/write-yaml.js'
import { readYaml, type YamlOptions } from '../../core/scenario/yaml.js'
import { capsuleWorld } from './capsule-html.js'

/** The path of a scenario file, and its text. */
export interface ScenarioFile {
  readonly path: string
  readonly text: string
  /** It may have commands of game servers. Default: refused. */
  readonly commands?: 'allowed' | undefined
}

/** A scenario with its display name. */
export interface LoadedScenario {
  readonly name: string
  readonly scenario: ScenarioInput
  /** Absent for a shipped scenario. */
  readonly file?: ScenarioFile
}

/** Loads a shipped scenario by name, or a file by path. Rejects with `UsageError`, which shows the wrong lines. */
export async function loadScenario(
  nameOrPath: string,
  { commands }: Pick<ScenarioFile, 'commands'> = {},
): Promise<LoadedScenario> {
  const shipped = shippedScenario(nameOrPath)
  if (shipped) return { name: nameOrPath, scenario: shipped }
  const file = { path: nameOrPath, text: readScenarioText(nameOrPath), commands }
  return { name: basename(nameOrPath), scenario: await parseScenarioFile(file), file }
}

/**
 * Loads a shipped scenario by name, or a file by path. Throws `UsageError`. `parsed` keeps the parsed files: a file is parsed again
 * if it has changed.
 */
export function loadScenarioSync(nameOrPath: string, parsed = new Map<string, ScenarioInput>()): ScenarioInput {
  const shipped = shippedScenario(nameOrPath)
  if (shipped) return shipped
  const text = readScenarioText(nameOrPath)
  const key = JSON.stringify([nameOrPath, text])
  const scenario = parsed.get(key) ?? runAtOnce(parseScenarioText(text, { file: nameOrPath }))
  parsed.set(key, scenario)
  return scenario
}

/** Writes the JSON of a snapshot as the text of a file: YAML, or JSON if it is long. */
export function scenarioText(json: string): string {
  return jsonToYaml(json, yaml())
}

/** Parses the text of a scenario file. Rejects with `UsageError`, which shows the wrong lines. */
export async function parseScenarioFile({ path, text, commands }: ScenarioFile): Promise<CheckedScenario> {
  return runAtOnce(parseScenarioText(text, { file: path, carets: true, commands }))
}

/**
 * Parses the text of a scenario. Throws `UsageError`, whose lines begin with file, line and column, and
 * `ApiError` for a text beyond the limits. A step of a large capsule takes up to 0.5 s.
 */
export function* parseScenarioText(text: string, options: Omit<YamlOptions, 'yaml'>): Steps<CheckedScenario> {
  const { file, limits } = options
  const world = yield* capsuleWorld(text, { file, ...(limits && sentCapsuleLimits) })
  // Without its past, a capsule is still a file that somebody has sent: it starts no program.
  return world ? readScenario(world, { file }) : readYaml(text, { ...options, yaml: yaml() })
}

/** The limits of a capsule that a client sends, inflated. Its past is one text for each change set. */
const sentCapsuleLimits = { bytes: 64 * 1024 ** 2, values: 2_000_000 } as const

/** A string of JavaScript has at most 512 MiB. */
const mostBytes = 500_000_000

/** Codes of errors that say that no file has this path. */
const missingCodes: readonly unknown[] = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE']

function readScenarioText(path: string): string {
  const text = readScenarioIfThere(path)
  if (text !== undefined) return text
  const known = didYouMean(path, Object.keys(scenarios))
  throw new UsageError(`there is no scenario file ${path}, and no shipped scenario has that name.${known}`)
}

/** Reads a scenario file as UTF-8, or as UTF-16 if it says so. `undefined` if it is missing. Throws `UsageError`. */
export function readScenarioIfThere(path: string): string | undefined {
  try {
    const stats = statSync(path)
    // A device or a pipe may never end.
    if (!stats.isFile() && !stats.isDirectory())
      throw new UsageError(`${path} is no regular file: copy its contents to a file, and name that one`)
    if (stats.size > mostBytes)
      throw new UsageError(
        `${path} is too large to read: it can have 500 MB. Leave out its journal or some of its rows, or the older past of a capsule (--last)`,
      )
    return decodeText(readFileSync(path))
  } catch (error) {
    if (error instanceof UsageError) throw error
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    // Decide by the code of the error: until a second look, another file may be at the path.
    if (missingCodes.includes(code)) return undefined
    if (error instanceof TypeError) throw new UsageError(`${path} is not UTF-8 text: a scenario is YAML or JSON`)
    if (code === 'EISDIR')
      throw new UsageError(`${path} is a folder: name a scenario file in it, such as ${join(path, scenarioFile)}`)
    throw asUsageError(error, `cannot read ${path}`)
  }
}

/** Decodes a text file. The `>` of Windows PowerShell writes UTF-16, and browsers read that too. Throws `TypeError`. */
export function decodeText(bytes: Uint8Array): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe
  return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8', { fatal: true }).decode(bytes)
}

/** Tells whether a text is the path of a file, and not the name of a scenario. */
export function isScenarioPath(nameOrPath: string): boolean {
  return /[./\\]/.test(nameOrPath) || existsSync(nameOrPath)
}

function shippedScenario(name: string): ScenarioInput | undefined {
  // An own key of the object is one of its names.
  return Object.hasOwn(scenarios, name) ? scenarios[name as keyof typeof scenarios] : undefined
}
