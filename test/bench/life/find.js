// @ts-check
import { atLeast, atMost, ratio } from '../aim.js'
import { answerOf, loadRow, loadText, measureLoad, speed } from '../http/load.js'
import { inEachCommit, runProgram, toOtherCommit } from '../program.js'
import { alternate, medians } from '../rounds.js'
import { tokens, withFiles } from '../scenario.js'
import { commandTargets, onPort, serving, withServers } from '../servers.js'
import { crowdOf, seatBody, seatPath } from './crowd.js'

const processes = 5
const program = new URL('find-process.js', import.meta.url)
const yardstick = new URL('../yardsticks/post-server.js', import.meta.url)
const ready = '/matchmaker/lobbies/list'
const request = { path: seatPath, token: tokens.public, body: seatBody }
const [few, many] = [100, 10_000]

/**
 * A seat among few lobbies and among many, in-process.
 *
 * @returns {Promise<import('../table.js').Table>}
 */
export async function measureFindAmongMany() {
  const subjects = inEachCommit(program).flatMap(commit => [few, many].map(lobbies => ({ ...commit, lobbies })))
  const run = (/** @type {{ readonly program: URL, readonly lobbies: number }} */ { program, lobbies }) =>
    runProgram(program, { args: [String(lobbies)] })
  const measured = await alternate(subjects, { rounds: processes, run })
  const results = [...measured].map(([subject, figures]) => ({ ...subject, ...medians(figures) }))
  const [small, large, , other] = results
  return {
    title: `find through answer; medians of ${processes} processes`,
    rows: results.map(({ commit, lobbies, findUs }) => ({
      commit,
      lobbies: lobbies.toLocaleString('en'),
      'CPU µs': findUs,
    })),
    aims: [
      atMost('find over 10,000 lobbies', { most: 25, value: large?.findUs, unit: 'µs' }),
      atMost('find over 10,000 lobbies, to over 100', { most: 1.3, value: ratio(large?.findUs, small?.findUs) }),
      ...toOtherCommit('find over 10,000 lobbies', { ours: large?.findUs, other: other?.findUs, most: 0.76 }),
    ],
  }
}

/**
 * A seat over HTTP: a body is read, a transaction is made, and an answer written, by the command, beside bare node:http.
 *
 * @returns {Promise<import('../table.js').Table>}
 */
export function measureFind() {
  return withFiles(write =>
    withServers(async start => {
      const args = serving(write('scenario.json', crowdOf(few)))
      const targets = await commandTargets(start, { args, path: ready }, { ...request, isSameEachTime: false })
      const file = write('answer.json', JSON.parse(await answerOf(targets[0])))
      const name = 'bare node:http, JSON.parse and JSON.stringify'
      const bare = await start({ name, program: yardstick, args: onPort(file), path: ready })
      const results = await measureLoad([{ name, server: bare, ...request }, ...targets])
      const [http, found, other] = results
      return {
        title: `find, POST of ${JSON.stringify(seatBody).length} bytes; ${loadText}`,
        rows: results.map(result => loadRow(result, { 'node:http': http })),
        aims: [
          atLeast('find by the command, to bare node:http', { least: 0.35, ...speed(found, http) }),
          ...toOtherCommit('CPU of a find by the command', { ours: found?.cpuUs, other: other?.cpuUs }),
        ],
      }
    }),
  )
}
