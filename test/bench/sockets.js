// @ts-check
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { initOf } from './requests.js'

/**
 * Opens connections. Bare sockets cost less than what they measure.
 *
 * @param {import('./processes.js').ServerProcess} server
 * @param {number} count
 */
export async function openSockets({ port }, count) {
  const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1').setEncoding('latin1'))
  await Promise.all(sockets.map(socket => once(socket, 'connect')))
  return sockets
}

/**
 * Sends a request, and waits for its whole answer, with its head.
 *
 * @param {import('node:net').Socket} socket
 * @param {string} request
 * @returns {Promise<string>}
 */
export function send(socket, request) {
  return new Promise((resolve, reject) => {
    let text = ''
    const take = (/** @type {string} */ chunk) => {
      text += chunk
      if (!isWhole(text)) return
      socket.off('data', take).off('close', fail)
      resolve(text)
    }
    const fail = () => reject(new Error(`a connection ended after ${text.length} bytes`))
    socket.on('data', take).once('close', fail).write(request)
  })
}

/** @param {string} text */
function isWhole(text) {
  const head = text.indexOf('\r\n\r\n')
  if (head === -1) return false
  const [, length = '0'] = /^content-length: (\d+)/im.exec(text) ?? []
  return text.length >= head + 4 + Number(length)
}

/** @param {import('./requests.js').Request} request */
export function textOf(request) {
  const { method = 'GET', headers, body = '' } = initOf(request)
  const lines = Object.entries({ host: '127.0.0.1', ...headers, 'content-length': `${body.length}` })
  return `${method} ${request.path} HTTP/1.1\r\n${lines.map(line => `${line.join(': ')}\r\n`).join('')}\r\n${body}`
}

/**
 * Sends a request again and again on 50 connections. Returns the requests a second, and the server's processor time for each.
 *
 * @param {import('./processes.js').ServerProcess} server
 * @param {{ readonly request: import('./requests.js').Request, readonly seconds: number }} load
 */
export async function load(server, { request, seconds }) {
  const sockets = await openSockets(server, 50)
  const text = textOf(request)
  let count = 0
  let isOver = false
  const before = server.cpuMs()
  const startedAt = performance.now()
  const loads = sockets.map(async socket => {
    while (!isOver) {
      const answer = await send(socket, text)
      if (!answer.startsWith('HTTP/1.1 200 ')) throw new Error(`${request.path} answers ${answer}`)
      count += 1
    }
  })
  await Promise.race([sleep(seconds * 1000), ...loads])
  isOver = true
  await Promise.all(loads)
  const passed = (performance.now() - startedAt) / 1000
  for (const socket of sockets) socket.destroy()
  return { 'requests/s': count / passed, 'CPU µs a request': ((server.cpuMs() - before) * 1000) / count }
}
