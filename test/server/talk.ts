import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Got } from '../doors.js'

/** A connection to a server, open. */
export function connected(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    socket.once('connect', () => resolve(socket)).once('error', reject)
  })
}

/** Writes bytes to a server as they are, and answers all that comes until the server ends the connection. */
export async function talk(url: string, bytes: string): Promise<string> {
  const socket = await connected(url)
  socket.write(bytes, 'latin1')
  return text(socket)
}

/** The answers in what a server has written, one after the other; each says its content-length, or has no body. */
export function answersIn(written: string): Got[] {
  const end = written.indexOf('\r\n\r\n')
  if (end === -1) return []
  const [statusLine = '', ...lines] = written.slice(0, end).split('\r\n')
  const headers = Object.fromEntries(
    lines.map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const rest = Buffer.from(written.slice(end + 4))
  const length = Number(headers['content-length'] ?? 0)
  const answer = { status: Number(statusLine.split(' ')[1]), headers, body: rest.subarray(0, length).toString() }
  return [answer, ...answersIn(rest.subarray(length).toString())]
}

/** The only answer to bytes after which the server ends the connection. */
export async function answerTo(url: string, bytes: string): Promise<Got> {
  const written = await talk(url, bytes)
  const [answer, ...more] = answersIn(written)
  if (!answer || more.length > 0) throw new Error(`expected one answer, got: ${written}`)
  return answer
}
