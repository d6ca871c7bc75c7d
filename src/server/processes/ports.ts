import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { connect, createServer } from 'node:net'
import { UsageError } from '../../core/lib/messages.js'
import type { LobbyPort } from '../../core/store/columns.js'

const maxAttempts = 50
const lastPort = 65_535
const longestRange = 100

const withoutTls = { http: 'http', https: 'http', tcp: 'tcp', tcp_tls: 'tcp', udp: 'udp' } as const

/** Finds a free port for each wanted one, or a range of ports. */
export type FindPorts = (wanted: readonly LobbyPort[]) => Promise<LobbyPort[]>

interface PortProbes {
  /** Listens on a port for a moment. 0 picks one. Resolves with `undefined` if it is taken. */
  tcp(port: number): Promise<number | undefined>
  isUdpFree(port: number): Promise<boolean>
}

/** Creates a function that finds ports that are free for TCP and UDP. It rejects with `UsageError`. */
export const portFinder =
  (probes: PortProbes): FindPorts =>
  async wanted => {
    const found: LobbyPort[] = []
    const isTaken = (port: number) =>
      found.some(({ target_port, port_range }) =>
        port_range ? port_range.min <= port && port <= port_range.max : target_port === port,
      )
    for (const { label, fixed, port_range, proxy_protocol } of wanted) {
      const count = port_range ? port_range.max - port_range.min + 1 : 1
      if (count > longestRange)
        throw new UsageError(`the range of ports "${label}" has ${count} ports: the mock finds at most ${longestRange}`)
      if (fixed !== undefined && !(await isFree(fixed, probes)))
        throw new UsageError(`the fixed port ${fixed} of "${label}" is taken: stop the program that listens there`)
      const min = fixed ?? (await findFree(count, probes, isTaken))
      found.push({
        label,
        ...(fixed !== undefined && { fixed }),
        ...(port_range ? { port_range: { min, max: min + count - 1 } } : { target_port: min }),
        proxy_protocol: withoutTls[proxy_protocol],
      })
    }
    return found
  }

async function isFree(port: number, { tcp, isUdpFree }: PortProbes): Promise<boolean> {
  return (await tcp(port)) !== undefined && (await isUdpFree(port))
}

async function findFree(count: number, probes: PortProbes, isTaken: (port: number) => boolean): Promise<number> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const first = await probes.tcp(0)
    if (first === undefined || first + count - 1 > lastPort) continue
    const all = Array.from({ length: count }, (_, i) => first + i)
    if (all.some(isTaken)) continue
    const free = await Promise.all(all.map(port => isFree(port, probes)))
    if (free.every(Boolean)) return first
  }
  throw new UsageError(`this machine has no ${count === 1 ? 'free port' : `${count} free ports in a row`}`)
}

/** No system gives these to outgoing connections, so none takes a port between this look and the start of the server. */
const pickedPorts = [20_000, 30_000] as const

function tcpPort(port: number): Promise<number | undefined> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen({ port: port || randomInt(...pickedPorts), exclusive: true }, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' ? address?.port : undefined))
    })
  })
}

export function isUdpFree(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = createSocket('udp4')
    socket.once('error', () => {
      socket.close()
      resolve(false)
    })
    socket.bind(port, () => socket.close(() => resolve(true)))
  })
}

const answersWithinMs = 1_000

/** The addresses by which a server on this machine can be reached. */
const ownHosts = ['127.0.0.1', '::1']

/** Tells whether a TCP port of this machine refuses connections. One that accepts them sees a client that leaves at once. */
export async function refusesConnections(port: number): Promise<boolean> {
  for (const host of ownHosts) if (!(await isRefused(port, host))) return false
  return true
}

function isRefused(port: number, host: string): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect({ port, host, timeout: answersWithinMs })
    // A connection whose data nobody has read would end with a reset.
    socket.resume()
    socket.once('connect', () => socket.end())
    let hasFailed = false
    socket.once('timeout', () => socket.destroy())
    // A machine may have no IPv6.
    socket.once('error', () => {
      hasFailed = true
    })
    socket.once('close', () => resolve(hasFailed))
  })
}

/** Finds free ports of this machine. Rejects with `UsageError`. */
export const findPorts = portFinder({ tcp: tcpPort, isUdpFree })
