// @ts-check
import { once } from 'node:events'
import { connect } from 'node:net'

/** How many connections are made at a time: fewer than a listening socket lets wait. */
const atATime = 200

/**
 * Opens connections that each send one GET, and wait. Bare sockets, so that the load costs less than what it measures.
 * `arrived` resolves when so many of the requests have come to the server.
 *
 * @param {{ readonly port: number, readonly path: string, readonly count: number, arrived(requests: number): Promise<void> }} options
 */
export async function openWatchers({ port, path, count, arrived }) {
  const request = `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`
  /** @type {import('node:net').Socket[]} */
  const sockets = []
  /** @type {Promise<string>[]} */
  const answers = []
  while (sockets.length < count) {
    const some = Array.from({ length: Math.min(atATime, count - sockets.length) }, () => connect(port, '127.0.0.1'))
    sockets.push(...some)
    answers.push(...some.map(answerOn))
    await Promise.all(some.map(socket => once(socket, 'connect')))
    for (const socket of some) socket.write(request)
    await arrived(sockets.length)
  }
  return {
    /** All answers, head and body, when the last one has come. */
    answers: Promise.all(answers),
    /** Ends at once, without leaving ports that wait. */
    close() {
      for (const socket of sockets) socket.resetAndDestroy()
    },
  }
}

/**
 * The first answer on a connection, whole. Rejects where the connection ends before.
 *
 * @param {import('node:net').Socket} socket
 * @returns {Promise<string>}
 */
function answerOn(socket) {
  return new Promise((resolve, reject) => {
    let text = ''
    socket.setEncoding('latin1')
    socket.on('data', chunk => {
      text += chunk
      if (isWhole(text)) resolve(text)
    })
    socket.once('error', reject)
    socket.once('close', () => reject(new Error(`a connection has ended after ${text.length} bytes`)))
  })
}

/** @param {string} text */
function isWhole(text) {
  const head = text.indexOf('\r\n\r\n')
  if (head === -1) return false
  const [, length = '0'] = /^content-length: (\d+)/im.exec(text) ?? []
  return text.length >= head + 4 + Number(length)
}
