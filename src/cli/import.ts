import { readFileSync, statSync } from 'node:fs'
import { readFile, realpath, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writeJson } from '../core/lib/json.js'
import { asUsageError, counted, UsageError } from '../core/lib/messages.js'
import type { ScenarioInput } from '../core/scenario/schema.js'
import { scenarioText } from '../server/files/scenario-file.js'
import { type ConvertedConfig, convertVersionConfig } from '../server/files/version-config.js'
import { type HarRecording, longestHar, readHar } from '../server/har/read.js'
import { compareRecording } from '../server/har/replay.js'
import { type ImportedScenario, scenarioOf, type UnexplainedErrors } from '../server/har/scenario-of.js'
import type { FlagsOf } from './flags.js'
import { type Console, replaceFile } from './output.js'

/** Writes a scenario from a HAR or a version config. Rejects with `UsageError`, whose message has nothing of a HAR. */
export async function importFile(file: string, { output }: FlagsOf<'import'>, console: Console): Promise<void> {
  const text = await readImported(file)
  if (output !== undefined && (await isSame(file, output)))
    throw new UsageError(`${output} is the imported file itself: name another file with -o`)
  const config = await convertVersionConfig(text, file)
  const { scenario, summary } = config ? { ...config, summary: configText(config) } : await scenarioOfHar(text, file)
  const written = scenarioText(writeJson(scenario)).trimEnd()
  if (output === undefined || output === '-') {
    console.printDocument(written)
    console.warn(summary)
  } else {
    // Only its owner may read it: recordings have secrets.
    await replaceFile(output, `${written}\n`, { mode: 0o600 })
    for (const line of `${output}: ${summary}`.split('\n')) console.print(line)
  }
}

function configText({ scenario, leftOut }: ConvertedConfig): string {
  const count = leftOut.split('\n').length
  return `${contentText(scenario)}. ${leftOut === '' ? 'All was used' : `Not used as it is: ${counted(count, 'key', 'keys')}\n${leftOut}`}`
}

async function scenarioOfHar(
  text: string,
  file: string,
): Promise<{ readonly scenario: ScenarioInput; readonly summary: string }> {
  const recording = readHarText(text, file, ', or a version config with matchmaker.game_modes')
  const { unexplained } = await compareRecording(recording)
  const imported = scenarioOf(recording, unexplained)
  const { scenario, used } = imported
  const notes = `${leftOutText(recording, imported)}${incompleteText(recording)}${faultsText(unexplained)}${misfitText(imported, file)}`
  if (used.size === 0) throw new UsageError(`${file} has no answer that a scenario needs. ${notes}`)
  return { scenario, summary: `${contentText(scenario)}, from ${counted(used.size, 'request', 'requests')}. ${notes}` }
}

/** Reads a HAR from a file. Rejects with `UsageError`. */
export async function loadHar(file: string): Promise<HarRecording> {
  return readHarText(await readImported(file), file)
}

function readHarText(text: string, file: string, alternative?: string): HarRecording {
  return readHar(text, file, { readAttached: name => readIfShort(join(dirname(file), name)), alternative })
}

async function readImported(file: string): Promise<string> {
  const cannotRead = (error: unknown) => {
    throw asUsageError(error, `cannot read ${file}`)
  }
  const { size } = await stat(file).catch(cannotRead)
  if (size > longestHar)
    throw new UsageError(`${file} is larger than ${longestHar / 1024 ** 2} MiB: save only the requests to the service`)
  const text = await readFile(file, 'utf8').catch(cannotRead)
  return text.replace(/^\uFEFF/, '')
}

function readIfShort(path: string): Buffer | undefined {
  const file = statSync(path, { throwIfNoEntry: false })
  return file?.isFile() && file.size <= longestHar ? readFileSync(path) : undefined
}

async function isSame(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([one, other].map(path => realpath(path).catch(() => undefined)))
  return first !== undefined && first === second
}

function contentText(scenario: ScenarioInput): string {
  const { regions = [], games = [], device_links = [], faults = [] } = scenario
  const namespaces = games.flatMap(game => game.namespaces ?? [])
  const all = [scenario, ...namespaces]
  const parts = [
    [regions.length, 'region', 'regions'],
    [all.flatMap(({ game_modes = [] }) => game_modes).length, 'game mode', 'game modes'],
    [all.flatMap(({ lobbies = [] }) => lobbies).length, 'lobby', 'lobbies'],
    [games.length, 'game', 'games'],
    [namespaces.length, 'namespace', 'namespaces'],
    [device_links.length, 'device link', 'device links'],
    [faults.length, 'fault', 'faults'],
  ] as const
  return parts.flatMap(([count, one, many]) => (count === 0 ? [] : [counted(count, one, many)])).join(', ')
}

function misfitText({ misfits }: ImportedScenario, file: string): string {
  if (misfits.length === 0) return ''
  return `. ${counted(misfits.length, 'answer does', 'answers do')} not fit the contract (${entriesText(misfits)}): mockmaker diff ${file} shows where`
}

function faultsText(unexplained: UnexplainedErrors): string {
  if (unexplained.size === 0) return ''
  const entries = [...unexplained.keys()].map(({ entry }) => entry)
  return `. ${counted(entries.length, 'error that this world cannot give is a fault', 'errors that this world cannot give are faults')}: ${entriesText(entries)}`
}

function incompleteText({ incomplete }: HarRecording): string {
  if (incomplete.length === 0) return ''
  return `. Read without a time, a header or a size that is wrong or missing: ${entriesText(incomplete)}`
}

function leftOutText({ exchanges, leftOut }: HarRecording, { used }: ImportedScenario): string {
  const reasons = [
    ...(exchanges.length > used.size ? [`${exchanges.length - used.size} with nothing new`] : []),
    ...[...leftOut].map(([reason, entries]) => `${entries.length} ${reason} (${entriesText(entries)})`),
  ]
  if (reasons.length === 0) return used.size === 0 ? 'It has no requests' : 'All were used'
  return `Not used: ${reasons.join(', ')}`
}

const mostGroups = 10

/** Lists the numbers of entries: `entries 2, 5 to 9`. */
function entriesText(entries: readonly number[]): string {
  const groups: { from: number; to: number }[] = []
  for (const entry of entries.toSorted((one, other) => one - other)) {
    const last = groups.at(-1)
    if (last?.to === entry - 1) last.to = entry
    else groups.push({ from: entry, to: entry })
  }
  const shown = groups.slice(0, mostGroups).map(({ from, to }) => (from === to ? from : `${from} to ${to}`))
  return `${entries.length === 1 ? 'entry' : 'entries'} ${[...shown, ...(groups.length > mostGroups ? ['…'] : [])].join(', ')}`
}
