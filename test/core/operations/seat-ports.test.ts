import { isIP } from 'node:net'
import { fc, test } from '@fast-check/vitest'
import { describe, expect, inject, it } from 'vitest'
import type { Join } from '../../../src/core/contract/lobbies.js'
import { createMock } from '../../../src/core/mock/mock.js'
import type { ScenarioInput } from '../../../src/core/scenario/schema.js'
import { closedAfterTest } from '../../support/worlds.js'

type Seat = Pick<ScenarioInput, 'development' | 'game_modes'> & { ports?: object; tokens?: object }

/** Takes a seat as a client that came by this host. */
async function seat({ ports, ...scenario }: Seat, host?: string, token?: string): Promise<Join> {
  const mode = { game_mode_id: 'duel', ...(ports && { ports }) }
  const mock = closedAfterTest(createMock({ scenario: { regions: ['lnd-fra'], game_modes: [mode], ...scenario } }))
  const body = new TextEncoder().encode('{"game_modes":["duel"]}')
  const headers = { host, ...(token && { authorization: `Bearer ${token}` }) }
  const answer = await mock.answer({ method: 'POST', path: '/matchmaker/lobbies/find', headers, body })
  return JSON.parse(new TextDecoder().decode(answer.body))
}

const portOf = async (...given: Parameters<typeof seat>) => (await seat(...given)).ports.default
const udp = { lobby_ports: [{ label: 'default', target_port: 9, proxy_protocol: 'udp' as const }] }

describe('the host of a seat', () => {
  it.for([
    ['127.0.0.1 without a Host', {}, undefined, '127.0.0.1'],
    ['the one by which the client came', {}, '192.168.1.5:4100', '192.168.1.5'],
    ['the one by which the client came, with ports of the namespace', { development: udp }, 'localhost:1', 'localhost'],
    ['that of the namespace', { development: { hostname: '10.0.0.7' } }, '192.168.1.5:4100', '10.0.0.7'],
    ['that of the namespace, with ports of the mode', { development: { hostname: 'a' }, ports: udp }, 'b', 'a'],
    ['that of the mode', { development: { hostname: 'a' }, ports: { hostname: 'c' } }, 'b', 'c'],
  ] as const)('is %s', async ([, scenario, host, hostname]) => {
    expect(await portOf(scenario, host)).toMatchObject({ hostname })
  })

  it('has the ids of its lobby', async () => {
    const { lobby, ports } = await seat({ ports: { hostname: '{lobby_id}-{label}.lobby.{region_id}.localhost' } })

    expect(ports.default?.hostname).toBe(`${lobby.lobby_id}-default.lobby.lnd-fra.localhost`)
  })

  it('follows the same rule for a development token', async () => {
    const tokens = { development: 'dev_prod.mock.one' }
    const development = { hostname: '{lobby_id}.{region_id}' }

    expect(await portOf({ tokens }, '[::1]:4100', tokens.development)).toEqual({
      hostname: '::1',
      host: '[::1]:7777',
      port: 7777,
      is_tls: false,
    })
    expect(await portOf({ tokens, development }, 'a', tokens.development)).toMatchObject({
      hostname: '00000000-0000-0000-0000-000000000000.dev-lcl',
    })
  })

  const name = fc.domain()
  const bracketed = fc.ipV6().map(address => `[${address}]`)
  const port = fc.constantFrom('', ':', ':80')
  test.prop([fc.oneof(fc.ipV4(), bracketed, name), port], { numRuns: 3 * inject('runs') })(
    'is what connect takes, and host is what a URL takes',
    async (host, suffix) => {
      const { hostname = '', host: inUrl = '' } = (await portOf({}, host + suffix)) ?? {}

      expect(isIP(hostname) !== 0 || !/[[\]:]/.test(hostname)).toBe(true)
      expect(new URL(`http://${inUrl}`).host).toBe(`${new URL(`http://${host}`).hostname}:7777`)
    },
  )

  it('is no default in a snapshot', () => {
    const mock = closedAfterTest(createMock({ scenario: { development: udp, game_modes: ['duel'] } }))

    expect(JSON.stringify(mock.default.snapshot())).not.toContain('hostname')
  })
})

describe('the ports of a seat', () => {
  const port = (target: number) => ({ hostname: '127.0.0.1', host: `127.0.0.1:${target}`, port: target, is_tls: false })

  it.for([
    ['one, if nobody names any', {}, { default: port(7777) }],
    ['one, if only a host is set', { ports: { hostname: '127.0.0.1' } }, { default: port(7777) }],
    ['those of the namespace', { development: udp }, { default: port(9) }],
    [
      'those of the namespace, if the mode has only a host',
      { development: udp, ports: { hostname: '127.0.0.1' } },
      { default: port(9) },
    ],
    ['none, if the mode says so', { development: udp, ports: {} }, {}],
    ['none, if the namespace says so', { development: { lobby_ports: [] } }, {}],
    ['a fixed one', { ports: { default: { fixed: 1234 } } }, { default: port(1234) }],
    ['one in short', { ports: { default: { target_port: 8 } } }, { default: port(8) }],
  ] as const)('are %s', async ([, scenario, ports]) => {
    const join = await seat(scenario)

    expect([join.ports, join.lobby.ports]).toEqual([ports, ports])
  })
})
