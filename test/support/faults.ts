import type { MockResponse } from '../../src/core/pipeline/message.js'
import { createMockmaker, type ExchangeRecord, type Fault, type MockmakerOptions } from '../../src/index.js'
import { bearer, ids, tanks, tokens } from './tanks.js'
import { live } from './worlds.js'

/** A call that reads. */
export const list = { method: 'GET', path: '/matchmaker/lobbies/list' } as const
/** A call that writes. */
export const prepare = { method: 'POST', path: '/cloud/devices/links' } as const
/** A watch that blocks. */
export const link = {
  method: 'GET',
  path: '/cloud/devices/links',
  query: `device_link_token=${tokens.pending}`,
} as const
/** A call with a token and a body. */
export const validate = {
  method: 'POST',
  path: `/cloud/games/${ids.tanks}/namespaces/validate`,
  headers: bearer(tokens.cloud),
  body: '{"display_name":"A","name_id":"a"}',
} as const
/** A path without an operation. */
export const nowhere = { method: 'GET', path: '/nowhere' } as const

/** A mock of tanks with faults, and its log records. */
export function mockWithFaults(faults: readonly Fault[], options: MockmakerOptions = {}) {
  const mock = createMockmaker({ scenario: tanks, ...options })
  const records: ExchangeRecord[] = []
  mock.log.subscribe(record => void records.push(record))
  /** The watch index of all rows. */
  const index = mock.world.revision
  for (const fault of faults) mock.faults.add(fault)
  return { mock, world: live(mock.world), records, index }
}

/** The response that represents a broken connection. */
export const brokenConnection = (disconnect: NonNullable<MockResponse['disconnect']>) => ({
  status: 0,
  headers: {},
  body: '',
  disconnect,
})
