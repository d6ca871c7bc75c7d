import { describe, expect, it } from 'vitest'
import { exchangeLine, exchangeObject } from '../../src/cli/exchange-line.js'
import type { Fault } from '../../src/index.js'
import { list, mockWithFaults } from '../support/faults.js'
import { ask } from '../support/http.js'

/** The record of a list that a fault strikes. */
async function recordOf(effect: Fault['effect']) {
  const { mock, world, records } = mockWithFaults([{ effect }])
  const answer = ask(mock, list)
  await world.clock.advance(300)
  mock.faults.clear()
  await answer
  const [record] = records
  if (!record) throw new Error('nothing was told')
  return { record, world }
}

describe('the line of a control call', () => {
  const style = (name: unknown, text: string) => `<${name} ${text}>`

  it.each([
    [{ path: '/__mock/clock' }, /^<dim GET {3}\/__mock\/clock {2}200 {2}12\.0 ms>$/],
    [{ path: '/__mock/clock', world: 'other' }, /^<dim GET {3}\/__mock\/clock {2}\[other\] {2}200 {2}12\.0 ms>$/],
    [
      { path: '/__mock/clock', status: 400, code: 'API_BAD_BODY', message: 'one\ntwo' },
      /<yellow 400> {2}<dim 12\.0 ms> {2}API_BAD_BODY: one …$/,
    ],
    [{ path: '/matchmaker/lobbies/list', outcome: '2 lobbies' }, /<green 200> {2}<dim 12\.0 ms> {2}→ 2 lobbies$/],
    [{ path: '/x', status: 404, code: 'X', message: 'y'.repeat(500) }, /X: y{197}…$/],
  ])('is dim where it succeeded: %j', async (fields, line) => {
    const { record, world } = await recordOf({ delay: '1ms' })
    const plain = { ...record, fault: undefined, outcome: undefined, ms: 12, ...fields }

    expect(exchangeLine(plain, { world, style })).toMatch(line)
  })
})

describe('of an exchange that a fault has struck', () => {
  it.each<[Fault['effect'], RegExp]>([
    [{ delay: '300ms' }, /^GET {3}\/matchmaker\/lobbies\/list {2}<green 200> {2}.* fault 1: delayed 300 ms$/],
    [{ hold: true }, / <green 200> .* fault 1: held$/],
    [{ reset: true }, / <red 0> .* fault 1: reset$/],
    [{ empty: true }, / <red 0> .* fault 1: empty$/],
    [
      { error: { status: 418 } },
      / <yellow 418> .* ERROR: fault 1 of this mock made this failure up {2}fault 1: error$/,
    ],
  ])('the line says that it did: %j', async (effect, line) => {
    const { record, world } = await recordOf(effect)

    expect(exchangeLine(record, { world, style: (name, text) => `<${name} ${text}>` })).toMatch(line)
  })

  it('the object has the id of the fault and what it did', async () => {
    const { record } = await recordOf({ reset: true })

    expect(exchangeObject(record)).toMatchObject({ status: 0, fault: '1', faultEffect: 'reset' })
  })
})
