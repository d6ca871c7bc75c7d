import { neverReady } from '../../core/control/warnings/seat-rules.js'
import { deadPort, wrongPort } from '../../core/control/warnings/server-rules.js'
import type { CheckResult } from '../../core/lib/check-report.js'
import { writeJson } from '../../core/lib/json.js'
import { counted, shortened } from '../../core/lib/messages.js'
import { elapsedText, formatDuration } from '../../core/lib/time.js'
import type { RefusedCall, ServedLobby, ServedPlayer } from '../../core/simulation/servers.js'
import { describeEnd, isNotFound, tailOf } from './exit-report.js'
import type { DeadPorts } from './listeners.js'
import type { Exit } from './server-process.js'

// Judges what a game server has called, and how it ended: a sentence for each check.

/** The calls that a check can expect of a game server. */
export const expectableCalls = ['ready', 'connected', 'disconnected', 'state', 'closed'] as const
export type ExpectableCall = (typeof expectableCalls)[number]

/** The calls that come for each player. */
export const playerCalls: readonly ExpectableCall[] = ['connected', 'disconnected']

/** The server has this time to end after SIGTERM, in ms. */
export const endsWithinMs = 10_000

export interface ServerEnd {
  readonly exit: Exit
  readonly wasStopped: boolean
  /** The time from its start to its end, or from SIGTERM to its end. In ms. */
  readonly ms: number
  readonly lastLines: readonly string[]
}

/** The client of a player. */
export interface ClientEnd {
  readonly name: string
  readonly token: string
  /** The exit of the client. `undefined` if it ran until somebody stopped it. */
  readonly exit: Exit | undefined
  /** The time from its start to its end, in ms. */
  readonly ms: number
  readonly lastLines: readonly string[]
}

interface Judged {
  readonly served: ServedLobby
  readonly expected: readonly ExpectableCall[]
  readonly withinMs: number
  /** The time from its start to its call of ready, in ms. `undefined`: it has not called it. */
  readonly readyMs: number | undefined
  readonly end: ServerEnd
  readonly clients: readonly ClientEnd[]
  readonly deadPorts: DeadPorts
}

type Verdict = Pick<CheckResult, 'passed' | 'sentence'> & Partial<CheckResult>

/** Judges a server. A call is not missing if another check says why it could not come. */
export function judgeServer(judged: Judged): CheckResult[] {
  const { served, end } = judged
  const { bodies, tokens, others } = sorted(served.refused)
  const missing = judged.expected.filter(call => !hasCome(judged, call))
  const verdicts: readonly (readonly [name: string, verdict: Verdict | undefined])[] = [
    ['ready', judgeReady(judged)],
    ['connected', judgePlayers(judged, 'connected')],
    ['disconnected', judgePlayers(judged, 'disconnected')],
    ['state', judgeState(judged, bodies)],
    ['closed', judgeClosed(judged)],
    ['tokens', noneOf(tokens, ['call', 'calls'], 'with a refused token')],
    ['calls', noneOf(others, ['other call', 'other calls'], 'that the mock refused')],
    ['clients', hasCrashed(end) ? undefined : judgeClients(judged)],
    ['exit', judgeEnd(end, missing)],
  ]
  return verdicts.flatMap(([name, verdict]) =>
    verdict ? [{ name, evidence: [], ...verdict, ms: Math.round(verdict.ms ?? 0) }] : [],
  )
}

function judgeReady({ readyMs, end, expected, withinMs }: Judged): Verdict | undefined {
  if (readyMs !== undefined)
    return { passed: true, sentence: `it called ready after ${elapsedText(readyMs)}`, ms: readyMs }
  if (hasCrashed(end)) return undefined
  const sentence = end.wasStopped
    ? neverReady.sentence({ who: 'it', ms: withinMs })
    : `it ended without a call of ${readyCall}`
  const others = expected.filter(call => call !== 'ready')
  return { passed: false, sentence, notes: others.map(call => `${call}, because it was never ready`) }
}

const readyCall = 'POST /matchmaker/lobbies/ready'

function judgePlayers(judged: Judged, call: 'connected' | 'disconnected'): Verdict | undefined {
  const players = judged.served.players.filter(player => call === 'connected' || player.connected)
  const missing = players.filter(player => !player[call])
  if (players.length === 0 || !isJudged(judged, call, missing.length === 0)) return undefined
  const all = counted(players.length, 'player', 'players')
  const isMissing = missing.length > 0
  const sentence = isMissing ? `missing for ${missing.length} of ${all}` : `for ${players.length} of ${all}`
  const hints = call === 'connected' && missing.length === players.length ? connectHints(judged) : []
  return { passed: !isMissing, sentence, evidence: [...missing.map(player => proofOf(player, judged)), ...hints] }
}

function proofOf({ name, token, connected, sentence }: ServedPlayer, { clients }: Judged): string {
  const start = `${name} ${token}:`
  const client = clients.find(one => one.token === token)
  if (!client) return `${start} ${sentence}`
  const { exit, ms } = client
  if (connected)
    return `${start} its client ended after ${elapsedText(ms)}, and the server has not called players/disconnected`
  const end = exit ? describeEnd(exit, ms) : `ran for ${elapsedText(ms)}, until the check ended it`
  return `${start} ${sentence} Its client ${end}.`
}

function connectHints({ clients, deadPorts }: Judged): string[] {
  if (clients.length === 0) return [noClients]
  return clients.some(hasFailed) ? [] : portHints(deadPorts)
}

const noClients = 'nobody plays for them: pass --client, or let the server connect MOCKMAKER_PLAYER_TOKENS'

function judgeState(judged: Judged, bodies: readonly RefusedCall[]): Verdict | undefined {
  const { state } = judged.served
  if (bodies.length > 0) return noneOf(bodies, ['call', 'calls'], 'with a state that is not JSON')
  if (state !== undefined) return { passed: true, sentence: `it set ${shortened(writeJson(state))}` }
  if (!isJudged(judged, 'state', false)) return undefined
  const within = formatDuration(judged.withinMs)
  return { passed: false, sentence: `it did not call PUT /matchmaker/lobbies/state within ${within}` }
}

function judgeClosed(judged: Judged): Verdict | undefined {
  if (judged.served.closed === true) return { passed: true, sentence: 'it closed the lobby' }
  if (!isJudged(judged, 'closed', false)) return undefined
  return { passed: false, sentence: `it did not close the lobby within ${formatDuration(judged.withinMs)}` }
}

function noneOf(calls: readonly RefusedCall[], [one, many]: readonly [string, string], what: string): Verdict {
  if (calls.length === 0) return { passed: true, sentence: `no ${one} ${what}` }
  const lines = calls
    .slice(0, mostShown)
    .map(({ method, path, status, code, message }) => `${method} ${path} → ${status} ${code}: ${message}`)
  const more = calls.length - mostShown
  const evidence = more > 0 ? [...lines, `… and ${counted(more, one, many)} more`] : lines
  return { passed: false, sentence: `${counted(calls.length, one, many)} ${what}`, evidence }
}

const mostShown = 10

function judgeClients({ clients, deadPorts }: Judged): Verdict | undefined {
  if (clients.length === 0) return undefined
  const all = counted(clients.length, 'client', 'clients')
  const failed = clients.filter(hasFailed)
  if (failed.length === 0) return { passed: true, sentence: `none of ${all} failed` }
  const evidence = failed.flatMap(({ name, exit, lastLines }) => [
    `${name} ${describeEnd(exit ?? {})}`,
    ...tailOf(lastLines).map(line => `  ${line}`),
  ])
  const hints = portHints(deadPorts)
  return { passed: false, sentence: `${failed.length} of ${all} failed`, evidence: [...evidence, ...hints] }
}

function hasFailed({ exit }: ClientEnd): boolean {
  return exit !== undefined && exit.code !== 0
}

function portHints({ dead, listening }: DeadPorts): string[] {
  const { sentence, advice } = listening.length > 0 ? wrongPort : deadPort
  return dead.map(port => {
    const facts = { who: 'it', ...port, listening }
    return `${sentence(facts)}. ${advice(facts)}`
  })
}

/** The exit code after SIGTERM that shells and Java report. */
const terminated = 143

function judgeEnd(end: ServerEnd, missing: readonly ExpectableCall[]): Verdict {
  const { exit, ms, wasStopped, lastLines } = end
  const { code, signal } = exit
  const fail = (sentence: string): Verdict => ({ passed: false, sentence, ms, evidence: tailOf(lastLines) })
  if (!wasStopped) {
    if (code === 0) return { passed: true, sentence: `it ${describeEnd(exit, ms)}`, ms }
    const hasStarted = exit.error === undefined && !isNotFound(exit)
    const because = hasStarted ? 'because it crashed' : 'because it did not start'
    return {
      ...fail(`it ${describeEnd(exit, ms)}`),
      notes: missing.map(call => `${call}, ${because}`),
    }
  }
  if (ms >= endsWithinMs) return fail(`it did not exit within ${elapsedText(endsWithinMs)} of SIGTERM, and was killed`)
  if (signal === 'SIGTERM' || code === 0 || code === terminated)
    return { passed: true, sentence: `it exited ${elapsedText(ms)} after SIGTERM`, ms }
  return fail(`it ${describeEnd(exit)} after SIGTERM`)
}

function hasCrashed({ wasStopped, exit }: ServerEnd): boolean {
  return !wasStopped && exit.code !== 0
}

function isJudged({ expected, readyMs, end }: Judged, call: ExpectableCall, hasCome: boolean): boolean {
  return expected.includes(call) && readyMs !== undefined && (hasCome || !hasCrashed(end))
}

/** Tells whether a call has come: for all players, if it comes for each. */
export function hasCome({ served, readyMs }: Pick<Judged, 'served' | 'readyMs'>, call: ExpectableCall): boolean {
  const { players, state, closed } = served
  if (call === 'ready') return readyMs !== undefined
  if (call === 'state') return state !== undefined
  if (call === 'closed') return closed === true
  return players.every(player => player[call])
}

function sorted(refused: readonly RefusedCall[]) {
  const bodies = refused.filter(({ operation, code }) => operation === 'lobbies.setState' && code === 'API_BAD_BODY')
  const tokens = refused.filter(({ code }) => /^(?:TOKEN_|CLAIMS_|API_UNAUTHORIZED$|API_FORBIDDEN$)/.test(code))
  const others = refused.filter(call => !bodies.includes(call) && !tokens.includes(call))
  return { bodies, tokens, others }
}
