// @ts-check
import { once } from 'node:events'
import { connect } from 'node:net'

/** How many connections are made at a time: fewer than a listening socket lets wait. */
const atATime = 200

/**
 * Opens connections that each send one GET, and wait. Bare sockets, so that the load costs less than what it measures.
 * `arrived` resolves when so many of the requests have come to the server.
 *
 * @param {{ readonly port: number, readonly count: number, path(index: number): string, arrived(requests: number): Promise<void> }} options
 */
export async function openWatchers({ port, path, count, arrived }) {
  /** @type {import('node:net').Socket[]} */
  const sockets = []
  /** @type {Promise<string>[]} */
  const answers = []
  let waiting = count
  while (sockets.length < count) {
    const some = Array.from({ length: Math.min(atATime, count - sockets.length) }, () => connect(port, '127.0.0.1'))
    sockets.push(...some)
    answers.push(...some.map(answerOn))
    await Promise.all(some.map(socket => once(socket, 'connect')))
    for (const [i, socket] of some.entries()) {
      const target = path(sockets.length - some.length + i)
      socket.write(`GET ${target} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`)
    }
    await arrived(sockets.length)
  }
  for (const answer of answers)
    answer.then(
      () => waiting--,
      () => {},
    )
  return {
    /** How many have not been answered yet. */
    waiting: () => waiting,
    /** All answers, head and body, when the last one has come. */
    answers: Promise.all(answers),
    /** Ends at once, without leaving ports that wait. */
    close() {
      for (const socket of sockets) socket.resetAndDestroy()
    },
  }
}

/**
 * The next answer on a connection, whole. Rejects where the connection ends before.
 *
 * @param {import('node:net').Socket} socket
 * @returns {Promise<string>}
 */
export function answerOn(socket) {
  return new Promise((resolve, reject) => {
    let text = ''
    const take = (/** @type {string} */ chunk) => {
      text += chunk
      if (isWhole(text)) end(() => resolve(text))
    }
    const fail = () => end(() => reject(new Error(`a connection has ended after ${text.length} bytes`)))
    const end = (/** @type {() => void} */ settle) => {
      socket.off('data', take).off('error', fail).off('close', fail)
      settle()
    }
    socket.setEncoding('latin1').on('data', take).once('error', fail).once('close', fail)
  })
}

/** @param {string} text */
function isWhole(text) {
  const head = text.indexOf('\r\n\r\n')
  if (head === -1) return false
  const [, length = '0'] = /^content-length: (\d+)/im.exec(text) ?? []
  return text.length >= head + 4 + Number(length)
}
