import { readFileSync, statSync } from 'node:fs'
import { readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { writeJson } from '../core/lib/exact-json.js'
import { counted } from '../core/lib/text.js'
import { asUsageError, asWriteError, UsageError } from '../core/lib/usage-error.js'
import { scenarioText } from '../server/files/scenario-file.js'
import { type HarRecording, longestHar, readHar } from '../server/har/read.js'
import { type ImportedScenario, scenarioOf } from '../server/har/scenario-of.js'
import type { FlagsOf } from './flags.js'
import type { Console } from './output.js'

/**
 * Writes a scenario from a HAR, and one line that says what it took. Only the owner may read the file. Rejects with `UsageError`,
 * whose message has nothing of the HAR.
 */
export async function importHar(file: string, { output }: FlagsOf<'import'>, console: Console): Promise<void> {
  const recording = await loadHar(file)
  if (output !== undefined && (await isSame(file, output)))
    throw new UsageError(`${output} is the recording itself: name another file with -o`)
  const imported = scenarioOf(recording)
  if (imported.used.size === 0)
    throw new UsageError(
      `${file} has no answer that a scenario needs. ${leftOutText(recording, imported)}${misfitText(imported, file)}`,
    )
  const text = scenarioText(writeJson(imported.scenario)).trimEnd()
  const summary = `${contentText(imported)}, from ${counted(imported.used.size, 'request', 'requests')}. ${leftOutText(recording, imported)}${misfitText(imported, file)}`
  if (output === undefined) {
    console.printDocument(text)
    console.warn(summary)
  } else {
    await writeOwnFile(output, `${text}\n`)
    console.print(`${output}: ${summary}`)
  }
}

/** Reads a HAR from a file. Rejects with `UsageError`. */
export async function loadHar(file: string): Promise<HarRecording> {
  const cannotRead = (error: unknown) => {
    throw asUsageError(error, `cannot read ${file}`)
  }
  const { size } = await stat(file).catch(cannotRead)
  if (size > longestHar)
    throw new UsageError(`${file} is larger than ${longestHar / 1024 ** 2} MiB: save only the requests to the service`)
  const readAttached = (name: string) => readIfShort(join(dirname(file), name))
  return readHar(await readFile(file, 'utf8').catch(cannotRead), file, readAttached)
}

function readIfShort(path: string): Buffer | undefined {
  const file = statSync(path, { throwIfNoEntry: false })
  return file?.isFile() && file.size <= longestHar ? readFileSync(path) : undefined
}

async function isSame(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([one, other].map(path => realpath(path).catch(() => undefined)))
  return first !== undefined && first === second
}

/** Writes a file that only its owner may read. Replaces an older file, because others may be able to read that one. */
async function writeOwnFile(path: string, text: string): Promise<void> {
  const file = resolve(path)
  const made = `${file}.${process.pid}.tmp`
  try {
    await writeFile(made, text, { mode: 0o600, flag: 'wx' })
    await rename(made, file)
  } catch (error) {
    await rm(made, { force: true })
    throw asWriteError(error, path)
  }
}

/** Counts what is in a scenario. */
function contentText({ scenario }: ImportedScenario): string {
  const { regions = [], games = [], device_links = [], faults = [] } = scenario
  const namespaces = games.flatMap(game => game.namespaces ?? [])
  const parts = [
    [regions.length, 'region', 'regions'],
    [namespaces.flatMap(({ game_modes = [] }) => game_modes).length, 'game mode', 'game modes'],
    [namespaces.flatMap(({ lobbies = [] }) => lobbies).length, 'lobby', 'lobbies'],
    [games.length, 'game', 'games'],
    [namespaces.length, 'namespace', 'namespaces'],
    [device_links.length, 'device link', 'device links'],
    [faults.length, 'fault', 'faults'],
  ] as const
  return parts.flatMap(([count, one, many]) => (count === 0 ? [] : [counted(count, one, many)])).join(', ')
}

function misfitText({ misfits }: ImportedScenario, file: string): string {
  if (misfits === 0) return ''
  return `. ${counted(misfits, 'answer does', 'answers do')} not fit the contract: mockmaker diff ${file} shows where`
}

/** Counts the requests that are not in a scenario. */
function leftOutText({ exchanges, leftOut }: HarRecording, { used }: ImportedScenario): string {
  const reasons = [
    ...(exchanges.length > used.size ? [`${exchanges.length - used.size} with nothing new`] : []),
    ...[...leftOut].map(([reason, count]) => `${count} ${reason}`),
  ]
  if (reasons.length === 0) return used.size === 0 ? 'It has no requests' : 'All were used'
  return `Not used: ${reasons.join(', ')}`
}
