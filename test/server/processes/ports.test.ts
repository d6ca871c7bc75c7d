import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { LobbyPort } from '../../../src/core/store/columns.js'
import { portFinder, refusesConnections } from '../../../src/server/processes/ports.js'

const range: LobbyPort = { label: 'voice', port_range: { min: 1, max: 3 }, proxy_protocol: 'udp' }

/** A system that offers these ports, and whose other ports are free. Like a socket, it throws for a port above 65535. */
function offering(...ports: readonly number[]) {
  const offers = [...ports]
  const check = (port: number) => {
    if (port > 65_535) throw new RangeError(`no port ${port}`)
    return port
  }
  return portFinder({
    tcp: async port => check(port === 0 ? (offers.shift() ?? 0) : port),
    isUdpFree: async port => check(port) > 0,
  })
}

describe('a range of ports', () => {
  it('is found somewhere else if it would go beyond the last port', async () => {
    const found = await offering(65_535, 65_534, 40_000)([range])

    expect(found).toEqual([{ label: 'voice', port_range: { min: 40_000, max: 40_002 }, proxy_protocol: 'udp' }])
  })

  it('may end with the last port', async () => {
    expect(await offering(65_533)([range])).toMatchObject([{ port_range: { min: 65_533, max: 65_535 } }])
  })
})

describe('a port', () => {
  const fixed: LobbyPort = { label: 'game', fixed: 1234, proxy_protocol: 'udp' }

  it('is the fixed one', async () => {
    expect(await offering(40_000)([fixed])).toEqual([{ ...fixed, target_port: 1234 }])
  })

  it('cannot be fixed if another program has it', async () => {
    const find = portFinder({ tcp: async port => port, isUdpFree: async () => false })

    await expect(find([fixed])).rejects.toThrow('the fixed port 1234 of "game" is taken')
  })

  it.for(['127.0.0.1', '::1'])('of %s refuses connections once nothing listens on it, and not before', async host => {
    // It writes first: its data must not end the connection with an error.
    const errors: Error[] = []
    const server = createServer(socket => socket.on('error', error => errors.push(error)).end('welcome'))
    await once(server.listen(0, host), 'listening')
    const { port } = server.address() as AddressInfo

    const before = await refusesConnections(port)
    await once(server.close(), 'close')
    const after = await refusesConnections(port)

    expect({ before, after, errors }).toEqual({ before: false, after: true, errors: [] })
  })
})
