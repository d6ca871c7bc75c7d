// @ts-check
import { once } from 'node:events'
import { connect } from 'node:net'

/**
 * An answer of the server.
 *
 * @typedef {object} Answer
 * @property {number} status
 * @property {string} body
 *
 * @typedef {object} Connection
 * @property {(requests: readonly string[]) => Promise<readonly Answer[]>} send
 *   Sends pipelined requests, and resolves with their answers. One call at a time.
 * @property {() => void} hangUp
 */

/**
 * Opens a connection to a server on this machine.
 *
 * @param {number} port
 * @returns {Promise<Connection>}
 */
export async function openConnection(port) {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  let rest = Buffer.alloc(0)
  let awaited = 0
  /** @type {Answer[]} */
  let answers = []
  /** @type {(answers: readonly Answer[]) => void} */
  let resolve = () => {}
  socket.on('error', () => {})
  socket.on('data', chunk => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    for (let taken = firstAnswer(rest); taken; taken = firstAnswer(rest)) {
      answers.push(taken.answer)
      rest = rest.subarray(taken.length)
    }
    if (answers.length === awaited) resolve(answers)
  })
  return {
    send(requests) {
      answers = []
      awaited = requests.length
      socket.write(requests.join(''))
      return new Promise(settle => {
        resolve = settle
      })
    },
    hangUp: () => socket.destroy(),
  }
}

/**
 * Returns the first answer in the received bytes if it is complete.
 *
 * @param {Buffer} bytes
 */
function firstAnswer(bytes) {
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const head = bytes.latin1Slice(0, end)
  const length = end + 4 + Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0)
  if (bytes.length < length) return undefined
  return { length, answer: { status: Number(head.slice(9, 12)), body: bytes.utf8Slice(end + 4, length) } }
}
