import { execFile } from 'node:child_process'
import { readdirSync, readlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { variablePart } from '../../core/control/environment.js'
import type { ServerFacts } from '../../core/simulation/servers.js'
import type { LobbyPort } from '../../core/store/columns.js'
import { isUdpFree, refusesConnections } from './ports.js'
import { processStat } from './process-stat.js'

// Finds the ports of a game server that seats lead to, and on which nothing listens.

/** The ports that seats lead to, and on which nothing listens. */
export type DeadPorts = Pick<Extract<ServerFacts, { kind: 'dead ports' }>, 'dead' | 'listening'>

/** Finds the dead ports of a server. `group` is that of its processes. */
export type FindDeadPorts = (ports: readonly LobbyPort[], group: number | undefined) => Promise<DeadPorts>

interface OpenSocket {
  readonly protocol: 'tcp' | 'udp'
  readonly port: number
  readonly owner: string
}

/** Asks the system first. A server may take a connection that ends at once for a player. */
export const findDeadPorts: FindDeadPorts = async (ports, group) => {
  const sockets = await openSockets()
  const dead: DeadPorts['dead'][number][] = []
  for (const { label, target_port: port, proxy_protocol } of ports) {
    // UDP has no connections, and a server need not use all ports of a range.
    if (port === undefined || proxy_protocol === 'udp') continue
    // A server may use UDP, and its game mode may not say so.
    const isTaken = sockets ? sockets.some(socket => socket.port === port) : !(await isUdpFree(port))
    if (!isTaken && (await refusesConnections(port))) dead.push({ port, variable: `PORT_${variablePart(label)}` })
  }
  if (dead.length === 0 || group === undefined) return { dead, listening: [] }
  const owners = ownersOf(group)
  const own = (sockets ?? []).filter(({ protocol, owner }) => protocol === 'tcp' && owners.has(owner))
  return { dead, listening: [...new Set(own.map(({ port }) => port))].sort((a, b) => a - b) }
}

async function openSockets(): Promise<OpenSocket[] | undefined> {
  try {
    if (process.platform === 'linux') {
      const tables = ['tcp', 'tcp6', 'udp', 'udp6'] as const
      return (await Promise.all(tables.map(readTable))).flat()
    }
    if (process.platform !== 'darwin') return undefined
    return socketsOf((await promisify(execFile)('lsof', ['-nP', '-iTCP', '-iUDP', '-FgPn'])).stdout)
  } catch {
    return undefined
  }
}

/** The state of a TCP socket that listens, as Linux writes it. */
const listens = '0A'

async function readTable(table: 'tcp' | 'tcp6' | 'udp' | 'udp6'): Promise<OpenSocket[]> {
  const text = await readFile(`/proc/net/${table}`, 'latin1').catch(() => '')
  const protocol = table.startsWith('tcp') ? 'tcp' : 'udp'
  return text.split('\n').flatMap(line => {
    const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/)
    const port = Number.parseInt(local.split(':')[1] ?? '', 16)
    return port > 0 && (protocol === 'udp' || state === listens)
      ? [{ protocol, port, owner: `socket:[${inode}]` } as const]
      : []
  })
}

/** Reads what `lsof -FgPn` prints: the group of a process, then the protocol and the name of each of its sockets. */
export function socketsOf(output: string): OpenSocket[] {
  let [owner, protocol] = ['', '']
  return output.split('\n').flatMap(line => {
    if (line.startsWith('g')) owner = line
    if (line.startsWith('P')) protocol = line
    // A connection has two addresses.
    const port = /^n(?!.*->).*:(\d+)$/.exec(line)?.[1]
    return port === undefined ? [] : [{ protocol: protocol === 'PTCP' ? 'tcp' : 'udp', port: Number(port), owner }]
  })
}

function ownersOf(group: number): Set<string> {
  if (process.platform !== 'linux') return new Set([`g${group}`])
  const pids = namesIn('/proc').filter(name => processStat(name)?.group === group)
  return new Set(pids.flatMap(pid => namesIn(`/proc/${pid}/fd`).flatMap(file => targetOf(`/proc/${pid}/fd/${file}`))))
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter(name => /^\d+$/.test(name))
  } catch {
    return []
  }
}

function targetOf(file: string): string[] {
  try {
    return [readlinkSync(file)]
  } catch {
    // The process has closed it.
    return []
  }
}
