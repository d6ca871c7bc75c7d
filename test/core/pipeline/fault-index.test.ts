import { fc, test } from '@fast-check/vitest'
import { describe, expect, inject, it } from 'vitest'
import { link, list, mockWithFaults } from '../../support/faults.js'
import { ask, json } from '../../support/http.js'
import { completion } from '../../support/tanks.js'

interface LinkAnswer {
  readonly cloud_token?: string
  readonly watch: { readonly index: string }
}

const offset = fc.oneof(fc.maxSafeInteger(), fc.bigInt(-(10n ** 19n) + 1n, 10n ** 19n - 1n).map(String))

const watch = (index?: string) => ({
  ...link,
  query: index === undefined ? link.query : `${link.query}&watch_index=${index}`,
})

/** Follows the link while its world changes, and returns the answers. */
async function follow(faults: Parameters<typeof mockWithFaults>[0]): Promise<LinkAnswer[]> {
  const { mock } = mockWithFaults(faults)
  const ask1 = async (index?: string) => json(await ask(mock, watch(index))) as LinkAnswer
  const first = await ask1()
  const waiting = ask1(first.watch.index)
  await mock.blocked(1, 'devices.links.get')
  await ask(mock, completion)
  const second = await waiting
  const stale = await ask1(first.watch.index)
  const again = ask1(second.watch.index)
  await mock.blocked(1, 'devices.links.get')
  await mock.clock.advance('40s')
  return [first, second, stale, await again]
}

describe('the fault index', () => {
  test.prop([offset], { numRuns: inject('runs') })(
    'shows the same changes as without it, under other indexes',
    async offset => {
      // Faults that match raise the revision too.
      const plain = await follow([{ operation: 'devices.links.get', effect: { reset: true }, chance: 0 }])

      const shifted = await follow([{ operation: 'devices.*', effect: { index: { offset } } }])

      const expected = plain.map(({ watch, ...rest }) => {
        const sum = (BigInt(watch.index) + BigInt(offset)) % 10n ** 19n
        return { ...rest, watch: { index: String(sum < 0n ? sum + 10n ** 19n : sum) } }
      })
      expect(shifted).toEqual(expected)
    },
  )

  it('gives indexes of 19 digits', async () => {
    const { mock } = mockWithFaults([{ effect: { index: { offset: '1234567890123456789' } } }])

    const { index } = (json(await ask(mock, link)) as LinkAnswer).watch

    expect(index).toMatch(/^12345\d{14}$/)
  })

  it.for(['', 'abc', '-1', '0x10'])('leaves %j of a resolver as it is', async index => {
    const { mock } = mockWithFaults([{ effect: { index: { offset: 1 } } }])
    mock.on('devices.links.get', () => ({ watch: { index } }))

    expect(json(await ask(mock, link))).toEqual({ watch: { index } })
  })

  it('shifts the index of a resolver', async () => {
    const { mock } = mockWithFaults([{ effect: { index: { offset: 1 } } }])
    mock.on('devices.links.get', () => ({ watch: { index: '41' } }))

    expect(json(await ask(mock, link))).toEqual({ watch: { index: '42' } })
  })

  it('lets requests to other operations pass, and does not count them', async () => {
    const { mock } = mockWithFaults([{ effect: { index: { offset: 1 } } }])

    expect((await ask(mock, list)).status).toBe(200)
    expect(mock.faults.list()).toMatchObject([{ matched: 0, struck: 0 }])
  })
})
