// @ts-check
import { once } from 'node:events'
import { connect } from 'node:net'
import { atMost, ratio } from '../aim.js'
import { alternate, median } from '../rounds.js'
import { linkToken, scenarioOf, withFiles } from '../scenario.js'
import { command, serving, withServers } from '../servers.js'
import { blockingPath, blocksLong, completion, linkPath } from './link.js'
import { block, isComplete, possible, probed } from './release.js'
import { answerOn } from './watchers.js'

const wanted = 10_000
const rounds = 7
const wakesEach = 50
const path = linkPath(0)

/**
 * A server with some that wait, and the links of it that nobody has watched yet.
 *
 * @typedef {object} Subject
 * @property {import('../server-process.js').ServerProcess} server
 * @property {number} waiters The one that is to wake included.
 * @property {number} fresh The first of these links.
 */

/**
 * One waiter that its link's completion wakes, alone and among others who wait for other links. Both worlds have as many links.
 *
 * @returns {Promise<import('../table.js').Table>}
 */
export function measureOneOfMany() {
  return withFiles(write =>
    withServers(async start => {
      const many = possible(wanted)
      const links = many + (rounds + 1) * wakesEach
      const serve = serving(write('scenario.json', scenarioOf({ links })))
      const args = (/** @type {number} */ port) => blocksLong(serve(port))
      const server = { name: 'the command', program: command, args, path, nodeFlags: probed }
      const alone = await blockOthers(await start(server), many - 1)
      // Those have waited too and gone, so that both servers have run as much of their code.
      alone.close()
      const among = await blockOthers(await start(server), many - 1)
      const subjects = [
        { server: alone.server, waiters: 1, fresh: many },
        { server: among.server, waiters: many, fresh: many },
      ]
      for (const subject of subjects) await wakeSome(subject)
      const runs = await alternate(subjects, { rounds, run: wakeSome })
      if (among.waiting() !== many - 1) throw new Error(`only ${among.waiting()} of ${many - 1} others have waited on`)
      among.close()
      return tableOf(
        [...runs].map(([{ waiters }, figures]) => ({
          waiters,
          wakeMs: median(figures.map(({ wakeMs }) => wakeMs)),
          // /proc counts in ticks, of which a round has few: their mean says more than their median.
          cpuMs: figures.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / figures.length,
        })),
      )
    }),
  )
}

/**
 * Blocks connections on as many links.
 *
 * @param {import('../server-process.js').ServerProcess} server
 * @param {number} count
 */
async function blockOthers(server, count) {
  const first = await blockingPath(server, 0)
  const blocking = (/** @type {number} */ link) => first.replace(path, linkPath(link))
  const { answers, close, waiting } = await block(server, { count, path: blocking })
  // They end without an answer.
  answers.catch(() => {})
  return { server, close, waiting }
}

/** @typedef {{ readonly wakeMs: number, readonly cpuMs: number }} Figures For each wake. */

/**
 * Blocks one connection on a fresh link and completes that, some times.
 *
 * @param {Subject} subject
 * @returns {Promise<Figures>}
 */
async function wakeSome(subject) {
  const { server } = subject
  const poster = connect(server.port, '127.0.0.1')
  await once(poster, 'connect')
  const times = []
  let cpuMs = 0
  for (let wake = 0; wake < wakesEach; wake++) {
    const link = subject.fresh++
    const watched = await blockingPath(server, link)
    const { answers, close } = await block(server, { count: 1, path: () => watched })
    const cpuBefore = server.cpuMs() ?? Number.NaN
    const startedAt = performance.now()
    const posted = post(poster, link)
    const [answer = ''] = await answers
    times.push(performance.now() - startedAt)
    await posted
    cpuMs += (server.cpuMs() ?? Number.NaN) - cpuBefore
    close()
    if (!isComplete(answer)) throw new Error(`the watch of ${linkToken(link)} was not told of its completion`)
  }
  poster.destroy()
  return { wakeMs: median(times), cpuMs: cpuMs / wakesEach }
}

/**
 * On a bare socket, because a client that costs more than the server would hide what the server costs.
 *
 * @param {import('node:net').Socket} socket
 * @param {number} link
 */
async function post(socket, link) {
  const { method, path, headers, body } = completion(link)
  const answered = answerOn(socket)
  const sent = { host: 'localhost', ...headers, 'content-length': Buffer.byteLength(body) }
  const head = [`${method} ${path} HTTP/1.1`, ...Object.entries(sent).map(([name, value]) => `${name}: ${value}`)]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  const answer = await answered
  if (!answer.startsWith('HTTP/1.1 200 ')) throw new Error(`the link was not completed: ${answer}`)
}

/** @param {readonly (Figures & { readonly waiters: number })[]} results */
function tableOf(results) {
  const [alone, among] = results
  const rows = results.map(({ waiters, wakeMs, cpuMs }) => ({
    waiters: waiters.toLocaleString('en'),
    'ms to its answer': wakeMs,
    '× alone': ratio(wakeMs, alone?.wakeMs),
    'server CPU ms': cpuMs,
    'CPU × alone': ratio(cpuMs, alone?.cpuMs),
  }))
  return {
    title: `one waiter wakes, the others wait on; medians of ${rounds} rounds of ${wakesEach} wakes`,
    rows,
    aims: [
      atMost(`time to wake one of ${among?.waiters.toLocaleString('en')}, to one alone`, {
        most: 1.2,
        value: ratio(among?.wakeMs, alone?.wakeMs),
      }),
    ],
  }
}
