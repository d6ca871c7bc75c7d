import { allPassed, type CheckResult } from '../core/lib/check-report.js'
import { checkKeys, didYouMean, quoted, UsageError } from '../core/lib/messages.js'
import {
  type Case,
  type Check,
  casesOf,
  checkNames,
  checksOf,
  isCheckName,
  type PatienceTimes,
  rulesOf,
} from './checks.js'
import type { LabCheckName, LabOptions, LabReport } from './lab.js'
import { type Recording, requestLine } from './recording.js'
import { type Client, Stage, type StartClient } from './stage.js'
import { type Failure, firstFailure } from './verdicts.js'

const atATime = 4

/** Options that tests use. */
export interface InternalOptions {
  readonly patience?: PatienceTimes | undefined
}

/** Ends the checks of a client that sends no request. */
const sendsNothing = Symbol('the client sent no request')

/** Runs the checks on a client. Rejects with `UsageError` if an option is wrong, and with what `start` throws. */
export async function runLab(
  client: Client,
  options: LabOptions,
  { patience }: InternalOptions = {},
): Promise<LabReport> {
  checkOptions(options)
  const { only = checkNames, quick = false, baseline = [], onResult = () => {}, signal } = options
  const checks: Readonly<Record<LabCheckName, Check>> = checksOf(patience)
  const names = checkNames.filter(name => only.includes(name) && !(quick && name === 'patience'))
  const results = new Map<LabCheckName, CheckResult>()
  const stop = new AbortController()
  const stopped = AbortSignal.any([stop.signal, ...(signal ? [signal] : [])])
  const run = async (name: LabCheckName) => {
    if (stopped.aborted) return
    const { result, hasRequests } = await runCheck(name, checks[name], client, { stop, stopped })
    if (stopped.aborted) return
    const marked = baseline.includes(name) && !result.passed ? { ...result, expected: true as const } : result
    results.set(name, marked)
    onResult(marked)
    // The other checks would say the same.
    if (!hasRequests && results.size === 1) stop.abort(sendsNothing)
  }
  const queue = names.filter(name => name !== 'patience')
  const runQueue = async () => {
    for (let name = queue.shift(); name !== undefined; name = queue.shift()) await run(name)
  }
  const lanes = Array.from({ length: atATime }, runQueue)
  if (names.includes('patience')) lanes.push(run('patience'))
  // The first error ends the others too, so that no client is left.
  for (const lane of lanes)
    void lane.catch(error => {
      stop.abort(error)
    })
  await Promise.allSettled(lanes)
  signal?.throwIfAborted()
  if (stop.signal.reason !== sendsNothing) stop.signal.throwIfAborted()
  const inOrder = names.flatMap(name => results.get(name) ?? [])
  const stale = staleEntries(baseline, results)
  for (const one of stale) onResult(one)
  const all = [...inOrder, ...stale]
  const notRun = names.filter(name => !results.has(name))
  if (notRun.length > 0) return { passed: false, checks: all, notRun }
  return {
    passed: allPassed(all),
    ...(options.only === undefined ? { grade: gradeOf(inOrder, checks) } : {}),
    checks: all,
  }
}

function checkOptions(options: LabOptions): void {
  checkKeys(options, ['only', 'quick', 'baseline', 'onResult', 'signal'], 'lab')
  for (const key of ['only', 'baseline'] as const) {
    const names: unknown = options[key]
    if (names !== undefined && !Array.isArray(names))
      throw new UsageError(`lab: options.${key} is ${quoted(names)}: expected a list of checks`)
    const wrong = options[key]?.find(name => !isCheckName(name))
    if (wrong !== undefined)
      throw new UsageError(`lab: options.${key}: ${quoted(wrong)} is no check.${didYouMean(String(wrong), checkNames)}`)
  }
  if (options.only?.length === 0) throw new UsageError('lab: options.only is empty: name a check, or leave it out')
  if (options.quick && options.only?.includes('patience'))
    throw new UsageError('lab: options.quick leaves out patience, and options.only names it: remove one of them')
}

async function runCheck(
  name: LabCheckName,
  check: Check,
  { start, advice }: Client,
  { stop, stopped }: { readonly stop: AbortController; readonly stopped: AbortSignal },
): Promise<{ readonly result: CheckResult; readonly hasRequests: boolean }> {
  const startedAt = performance.now()
  const running = casesOf(check).map(one =>
    runCase(one, start, stopped).catch((error: unknown) => {
      stop.abort(error)
      throw error
    }),
  )
  // After an error too, the other clients end and their ports close.
  await Promise.allSettled(running)
  const all = await Promise.all(running)
  const failed = all.find(({ failure }) => failure)
  const notes = all.some(({ isSilent }) => isSilent)
    ? { notes: ['the client printed nothing, so only its requests and its exit were judged'] }
    : {}
  const ms = Math.round(performance.now() - startedAt)
  if (!failed?.failure)
    return {
      result: { name, passed: true, sentence: check.passes(all.map(one => one.recording)), evidence: [], ...notes, ms },
      hasRequests: true,
    }
  const { failure, recording, caseName } = failed
  // A client that prints too much is ended early.
  const hasRequests = all.some(one => one.recording.requests.length > 0 || one.recording.excess !== undefined)
  const where = caseName === undefined ? '' : `with ${caseName}, `
  const sentence = hasRequests ? where + failure.sentence : `${failure.sentence}. ${advice}`
  const evidence = evidenceOf(failure, recording)
  return { result: { name, passed: false, sentence, evidence, ...notes, ms }, hasRequests }
}

async function runCase(one: Case, start: StartClient, signal: AbortSignal) {
  const stage = await Stage.open(start, signal)
  try {
    await one.run(stage)
    if (!one.givesUp) await stage.finish()
  } finally {
    await stage.close()
  }
  const { recording } = stage
  const { startFailure } = recording.end ?? {}
  if (startFailure !== undefined) throw new UsageError(startFailure)
  // One that failed early had nothing to print.
  const isSilent =
    !one.givesUp && recording.end?.code === 0 && recording.printed.every(({ text }) => text.trim() === '')
  return { caseName: one.name, recording, failure: firstFailure(recording, rulesOf(one)), isSilent }
}

function evidenceOf({ proof }: Failure, { end }: Recording): string[] {
  const seconds = ((end?.at ?? 0) / 1_000).toFixed(3)
  const exit = end ? [`+${seconds} s ${end.code === undefined ? end.signal : `exit code ${end.code}`}`] : []
  return [...proof.map(requestLine), ...exit]
}

/** A check of the baseline that passes fails the lab, so that the list stays true. */
function staleEntries(
  baseline: readonly LabCheckName[],
  results: ReadonlyMap<LabCheckName, CheckResult>,
): CheckResult[] {
  return baseline
    .filter(name => results.get(name)?.passed)
    .map(name => ({
      name: `baseline: ${name}`,
      passed: false,
      sentence: 'it passes: remove it from the baseline',
      evidence: [],
      ms: 0,
    }))
}

function gradeOf(results: readonly CheckResult[], checks: Readonly<Record<LabCheckName, Check>>): 'A' | 'B' | 'C' {
  const failed = results.filter(({ passed }) => !passed)
  if (failed.length === 0) return 'A'
  return failed.every(({ name }) => checks[name as LabCheckName].harm === 'manners') ? 'B' : 'C' // names of checks
}
