// @ts-check
import { setTimeout as sleep } from 'node:timers/promises'
import { atMost, measureInTurn, ratio } from './figures.js'
import { command, serving, startServer, withFolder, yardstick } from './processes.js'
import { completeLink, initOf, linkPath, scenarioOf } from './requests.js'
import { openSockets, send, textOf } from './sockets.js'

const count = 10_000
/** Fewer connections than a listening socket lets wait. */
const atATime = 200
const nodeFlags = ['--import', new URL('probe.js', import.meta.url).href]

/** Watches that block on one device link, and end at once when it is completed. @returns {Promise<import('./figures.js').Table>} */
export function measureWatches() {
  return withFolder(async write => {
    // On a busy machine, the connections may take longer to open than a watch lasts by default.
    const args = serving(write('scenario.json', scenarioOf(1)), '--watch-timeout', '600s')
    const servers = [{ program: command, args }, yardstick('watch')]
    const figures = await measureInTurn(servers, { rounds: 3, run: releaseAll })
    const [ours, bare] = figures
    return {
      title: '10,000 watches of one link, which is completed; a fresh server each time; medians of 3',
      rows: ['the command', 'bare node:http, promises'].map((server, i) => ({ server, ...figures[i] })),
      aim: atMost('CPU', { most: 2, value: ratio(ours?.['CPU ms'], bare?.['CPU ms']), unit: '× bare node:http' }),
    }
  })
}

/** @param {Pick<import('./processes.js').ServerOptions, 'program' | 'args'>} program */
async function releaseAll(program) {
  const server = await startServer({ ...program, path: linkPath, nodeFlags })
  try {
    const { watch } = await (await fetch(server.url + linkPath)).json()
    const text = textOf({ path: `${linkPath}&watch_index=${watch.index}` })
    const before = await server.requests()
    const sockets = []
    const answers = []
    while (sockets.length < count) {
      const some = await openSockets(server, atATime)
      sockets.push(...some)
      answers.push(...some.map(socket => send(socket, text)))
    }
    // A watch blocks in the turn in which it comes.
    while ((await server.requests()) < before + count) await sleep(10)
    const cpuBefore = server.cpuMs()
    const releasedAt = performance.now()
    await fetch(server.url + completeLink.path, initOf(completeLink))
    const isReleased = (await Promise.all(answers)).every(answer => answer.includes('"cloud_token":"cloud.'))
    const ms = performance.now() - releasedAt
    const cpuMs = server.cpuMs() - cpuBefore
    for (const socket of sockets) socket.resetAndDestroy()
    if (!isReleased) throw new Error('a watch was not told of the completion')
    return { 'ms to the last': ms, 'CPU ms': cpuMs }
  } finally {
    await server.end()
  }
}
