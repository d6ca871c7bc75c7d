// @ts-check
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { ratio } from '../aim.js'
import { alternate, medians } from '../rounds.js'
import { figure } from '../table.js'

const rounds = 5
const secondsEach = 2
const warmUpSeconds = 1
const connections = 50

/**
 * A request that many connections send again and again, and what it is to be answered.
 *
 * @typedef {object} Target
 * @property {string} name
 * @property {import('../server-process.js').ServerProcess} server
 * @property {string} path
 * @property {string} token
 * @property {object} [body] What is posted; without it the request is a GET.
 * @property {boolean} [isSameEachTime] Whether each answer is the same to the byte. Default: true; else it is only as long.
 * @property {boolean} [isOtherCommit] Whether it may answer with other ids, and nearly as many bytes. Default: false.
 *
 * @typedef {object} Figures
 * @property {number} perSecond
 * @property {number} [cpuUs] The server's processor time for a request.
 * @property {number} [cpuShare] How busy the server was, in percent of a core.
 * @property {number} p99
 *
 * @typedef {Figures & { readonly name: string }} Result
 */

/** How the load is made, for titles. */
export const loadText = `${connections} connections; medians of ${rounds} rounds of ${secondsEach} s`

/**
 * Loads each target in turn, after a warm-up. Throws where one answers other bytes than the first, or more or fewer.
 *
 * @param {readonly Target[]} targets
 * @returns {Promise<Result[]>}
 */
export async function measureLoad(targets) {
  const expected = targets[0] && (await answerOf(targets[0]))
  for (const target of targets) {
    const answer = await answerOf(target)
    if (!isLike(expected, answer, target)) throw new Error(`${target.name} does not answer what the first does`)
    await hammer(target, warmUpSeconds)
  }
  const runs = await alternate(targets, { rounds, run: measure })
  return [...runs].map(([{ name }, figures]) => ({ name, ...medians(figures) }))
}

/** How much longer or shorter the answer of another commit may be. */
const likeLength = 0.1

/**
 * @param {string | undefined} expected
 * @param {string} answer
 * @param {Target} target
 */
function isLike(expected = '', answer, { isSameEachTime, isOtherCommit }) {
  if (isOtherCommit) return Math.abs(answer.length / expected.length - 1) <= likeLength
  return isSameEachTime === false ? answer.length === expected.length : answer === expected
}

/**
 * The body of the answer.
 *
 * @param {Target} target
 */
export async function answerOf({ name, server, path, token, body }) {
  const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
  const sent = body && { method: 'POST', body: JSON.stringify(body) }
  const response = await fetch(server.url + path, { ...sent, headers })
  const text = await response.text()
  if (!response.ok) throw new Error(`${name} answers ${response.status}: ${text}`)
  return text
}

/**
 * The columns of a result, beside those of its yardsticks.
 *
 * @param {Result} result
 * @param {Readonly<Record<string, Result | undefined>>} yardsticks By what the columns call them.
 * @returns {import('../table.js').Row}
 */
export function loadRow({ name, perSecond, cpuUs, cpuShare, p99 }, yardsticks) {
  const times = Object.entries(yardsticks).map(([to, yardstick]) => [`× ${to}`, ratio(perSecond, yardstick?.perSecond)])
  const cpuTimes = Object.entries(yardsticks).map(([to, yardstick]) => [`CPU × ${to}`, ratio(cpuUs, yardstick?.cpuUs)])
  return {
    server: name,
    'requests/s': perSecond,
    ...Object.fromEntries(times),
    // On a busy machine these are the figures to trust: a core that is shared with others still counts its time.
    'CPU µs/request': cpuUs,
    ...Object.fromEntries(cpuTimes),
    'server CPU %': cpuShare,
    'p99 ms': p99,
  }
}

/** A server that is busy for less of its core than this, in percent, could have answered more. */
const fullShare = 90

/**
 * A result's requests/s to those of its yardstick, for an aim.
 *
 * @param {Result | undefined} result
 * @param {Result | undefined} yardstick
 * @returns {import('../aim.js').Measured}
 */
export function speed(result, yardstick) {
  const cpu = ratio(result?.cpuUs, yardstick?.cpuUs)
  const shares = [result?.cpuShare ?? 100, yardstick?.cpuShare ?? 100]
  const notes = [
    'requests/s',
    ...(cpu === undefined ? [] : [`CPU a request ${figure(cpu)} ×`]),
    ...(Math.min(...shares) < fullShare ? [`busy ${shares.map(figure).join(' and ')} %: the CPU says more`] : []),
  ]
  return { value: ratio(result?.perSecond, yardstick?.perSecond), beside: notes.join('; ') }
}

/**
 * @param {Target} target
 * @returns {Promise<Figures>}
 */
async function measure(target) {
  const before = target.server.cpuMs()
  const { requests, latency, duration } = await hammer(target, secondsEach)
  const after = target.server.cpuMs()
  const figures = { perSecond: requests.total / duration, p99: latency.p99 }
  if (before === undefined || after === undefined) return figures
  const cpuMs = after - before
  return { ...figures, cpuUs: (cpuMs * 1000) / requests.total, cpuShare: cpuMs / duration / 10 }
}

/**
 * Autocannon in a process of its own, which does nothing else.
 *
 * @param {Target} target
 * @param {number} seconds
 */
async function hammer({ name, server, path, token, body }, seconds) {
  const autocannon = fileURLToPath(import.meta.resolve('autocannon'))
  const posted = body ? ['-m', 'POST', '-H', 'content-type=application/json', '-b', JSON.stringify(body)] : []
  const load = ['-c', `${connections}`, '-d', `${seconds}`, '-H', `authorization=Bearer ${token}`]
  const args = [autocannon, '-j', '-n', ...load, ...posted, server.url + path]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  const result = JSON.parse(stdout)
  if (result.non2xx + result.errors > 0) throw new Error(`${name}: ${result.non2xx} answers are no 2xx`)
  return result
}
