import fc from 'fast-check'
import { describe, expect, inject, it } from 'vitest'
import type { Port } from '../../../src/core/contract/namespaces.js'
import { validateDevelopmentToken } from '../../../src/core/operations/namespaces.js'

const validate = (lobby_ports: Port[]) =>
  // The resolver reads only its input.
  validateDevelopmentToken({
    input: { hostname: 'h', lobby_ports, game_id: 'g', namespace_id: 'n' },
  } as never).errors.map(error => error.path)

const port = (fields: Partial<Port>): Port => ({ label: 'default', target_port: 80, proxy_protocol: 'http', ...fields })

describe('games.namespaces.validateGameNamespaceTokenDevelopment', () => {
  it('checks all of more than 16 ports', () => {
    const ports = Array.from({ length: 17 }, (_, i) => port({ label: `p${i}`, target_port: 16 - Math.max(i, 1) }))

    expect(validate(ports)).toEqual([['ports-too-many'], ['ports', '1', 'port-protocol-not-unique']])
  })

  it.each([
    [{ min: 1, max: 5 }, true],
    [{ min: 9, max: 12 }, true],
    [{ min: 1, max: 4 }, false],
    [{ min: 10, max: 12 }, false],
  ])('finds that the range %j overlaps 5 to 9: %s', (port_range, overlaps) => {
    const ranges = [{ min: 5, max: 9 }, port_range]
    const ports = ranges.map((port_range, at): Port => ({ label: `p${at}`, port_range, proxy_protocol: 'udp' }))

    expect(validate(ports)).toEqual(overlaps ? [['ports', '1', 'ranges-overlap']] : [])
  })

  it('agrees with the written rules, for any ports', () => {
    fc.assert(
      fc.property(fc.array(anyPort, { maxLength: 20 }), ports => {
        expect(validate(ports)).toEqual(errorsByRules(ports))
      }),
      { numRuns: 20 * inject('runs') },
    )
  })
})

const small = fc.integer({ min: -3, max: 6 })
const anyPort: fc.Arbitrary<Port> = fc.record(
  {
    label: fc.constantFrom('a', 'b', 'c-d', 'A', '', '-a', 'a--b', 'x'.repeat(16), 'x'.repeat(17)),
    target_port: fc.option(small, { nil: undefined }),
    port_range: fc.option(fc.record({ min: small, max: small }), { nil: undefined }),
    proxy_protocol: fc.constantFrom('http', 'https', 'tcp', 'tcp_tls', 'udp'),
  },
  { requiredKeys: ['label', 'proxy_protocol'] },
)

/** Checks the written rules one by one. */
function errorsByRules(ports: readonly Port[]): string[][] {
  const errors: string[][] = []
  if (ports.length > 16) errors.push(['ports-too-many'])
  const valid = (label: string) =>
    label.length >= 1 &&
    label.length <= 16 &&
    [...label].every(letter => '0123456789abcdefghijklmnopqrstuvwxyz-'.includes(letter)) &&
    !label.startsWith('-') &&
    !label.endsWith('-') &&
    !label.includes('--')
  const has = (value: unknown) => value !== undefined
  const lone = (one: Port) =>
    has(one.port_range) && !has(one.target_port) && (one.proxy_protocol === 'tcp' || one.proxy_protocol === 'udp')
  for (const [i, one] of ports.entries()) {
    const earlier = ports.slice(0, i)
    const add = (problem: string) => errors.push(['ports', `${i}`, problem])
    if (!valid(one.label)) add('label-invalid')
    if (valid(one.label) && earlier.some(other => other.label === one.label)) add('label-not-unique')
    const same = (other: Port) => other.target_port === one.target_port && other.proxy_protocol === one.proxy_protocol
    if (has(one.target_port) && earlier.some(same)) add('port-protocol-not-unique')
    if (has(one.target_port) && has(one.port_range)) add('duplicate-port-and-port-range')
    if (!has(one.target_port) && !has(one.port_range)) add('missing-port-and-port-range')
    if (!has(one.target_port) && has(one.port_range) && !lone(one)) add('unsupported-port-range')
    if (!lone(one) || !one.port_range) continue
    const { min, max } = one.port_range
    if (min > max) add('range-min-gt-max')
    const meets = (other: Port) => other.port_range && other.port_range.min <= max && min <= other.port_range.max
    if (earlier.filter(lone).some(meets)) add('ranges-overlap')
  }
  return errors
}
