import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { LobbyPort } from '../../../src/core/store/columns.js'
import { findDeadPorts, socketsOf } from '../../../src/server/processes/listeners.js'
import { processStat } from '../../../src/server/processes/process-stat.js'

/** Listens on a free port. */
async function listening(host = '127.0.0.1'): Promise<{ port: number; connections: () => number; close(): void }> {
  let connections = 0
  const server = createServer(socket => {
    connections += 1
    socket.destroy()
  })
  await once(server.listen(0, host), 'listening')
  onTestFinished(() => void server.close())
  return { port: (server.address() as AddressInfo).port, connections: () => connections, close: () => server.close() }
}

/** A port on which nothing listens. */
async function closedPort(): Promise<number> {
  const { port, close } = await listening()
  close()
  return port
}

const tcp = (port: number, label = 'default'): LobbyPort => ({ label, target_port: port, proxy_protocol: 'http' })
const find = (ports: readonly LobbyPort[]) => findDeadPorts(ports, processStat('self')?.group)

describe('the dead ports of a server', () => {
  it('are those on which nothing listens, with the ports of its processes', async () => {
    const port = await closedPort()
    const other = await listening()

    const { dead, listening: own } = await find([tcp(port, 'game-1'), tcp(other.port, 'chat')])

    expect(dead).toEqual([{ port, variable: 'PORT_game_1' }])
    if (process.platform === 'linux') expect(own).toContain(other.port)
  })

  it.for(['127.0.0.1', '::1', '0.0.0.0'])('have none of a server on %s, which sees no connection', async host => {
    const { port, connections } = await listening(host)

    expect(await find([tcp(port)])).toEqual({ dead: [], listening: [] })
    if (process.platform === 'linux') expect(connections()).toBe(0)
  })

  it('have none of a game on UDP whose mode does not say so', async () => {
    const socket = createSocket('udp4')
    await once(socket.bind(0), 'listening')
    onTestFinished(() => void socket.close())

    expect((await find([tcp(socket.address().port)])).dead).toEqual([])
  })

  it('have no port of UDP, and no range', async () => {
    const target_port = await closedPort()
    const udp: LobbyPort = { label: 'game', target_port, proxy_protocol: 'udp' }
    const range: LobbyPort = {
      label: 'voice',
      port_range: { min: target_port, max: target_port },
      proxy_protocol: 'tcp',
    }

    expect((await find([udp, range])).dead).toEqual([])
  })
})

describe('the output of lsof', () => {
  it('has the sockets of groups, without connections', () => {
    const output =
      'p6847\ng6845\nPTCP\nn*:7777\nPTCP\nn127.0.0.1:5000->127.0.0.1:80\nPUDP\nn[::1]:7778\np1\ng1\nPTCP\nn*:80\n'

    expect(socketsOf(output)).toEqual([
      { protocol: 'tcp', port: 7777, owner: 'g6845' },
      { protocol: 'udp', port: 7778, owner: 'g6845' },
      { protocol: 'tcp', port: 80, owner: 'g1' },
    ])
  })
})
