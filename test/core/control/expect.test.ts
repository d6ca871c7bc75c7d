import { describe, expect } from 'vitest'
import { JournalMismatch } from '../../../src/index.js'
import { controls, messageOf } from '../../support/controls.js'
import { ask, post } from '../../support/http.js'
import { it } from '../../support/served-mock.js'
import { bearer, tokens } from '../../support/tanks.js'

const list = { method: 'GET', path: '/matchmaker/lobbies/list', headers: bearer(tokens.public) } as const
const find = (mode: string) => post('/matchmaker/lobbies/find', { game_modes: [mode] }, tokens.public)

describe.each(controls)('journal.expect, $where', ({ of }) => {
  it('passes if the requests are there', async ({ serve }) => {
    const served = await serve()
    const { journal } = of(served)
    await ask(served.mock, list)
    await ask(served.mock, list)

    await journal.expect('lobbies.list')
    await journal.expect('lobbies.*', { status: 200 }, 2)
    await journal.expect('lobbies.find', undefined, 0)
    await journal.expect('lobbies.list', {}, { min: 1, max: 3 })
  })

  it('throws with the reason, the nearest requests and their differences', async ({ serve }) => {
    const served = await serve()
    const { journal } = of(served)
    await ask(served.mock, find('duel'))

    const match = { headers: { 'x-a': '1' }, body: { game_modes: ['ffa'] } }
    const error = await (async () => journal.expect('lobbies.find', match, 1))().catch((thrown: unknown) => thrown)

    expect(error).toBeInstanceOf(JournalMismatch)
    expect((error as Error).message.split('\n')).toEqual([
      `expected exactly 1 request of lobbies.find that matches ${JSON.stringify(match)}, and found 0`,
      '',
      'The nearest requests:',
      '  POST /matchmaker/lobbies/find → 200',
      '     headers.x-a: expected "1", and it is missing',
      '     body.game_modes.0: expected "ffa", and it is "duel"',
    ])
    expect((error as JournalMismatch).verification).toMatchObject({ ok: false, matched: 0, nearest: [{}] })
  })

  it('throws with the reason alone if the journal is empty', async ({ serve }) => {
    const { journal } = of(await serve())

    expect(await messageOf(() => journal.expect('lobbies.find'))).toBe(
      'expected at least 1 request of lobbies.find, and found 0',
    )
  })

  it('refuses wrong input', async ({ serve }) => {
    const { journal } = of(await serve())

    expect(await messageOf(() => journal.expect('lobies.list' as never))).toContain(
      'expect: operation is "lobies.list": expected',
    )
    expect(await messageOf(() => journal.expect('lobbies.list', { bodi: {} } as never))).toContain('Did you mean body?')
    expect(await messageOf(() => journal.expect('lobbies.list', {}, 'once' as never))).toContain('the times are "once"')
    expect(await messageOf(() => journal.expect('lobbies.list', {}, 1.5))).toContain('the times are 1.5')
    expect(await messageOf(() => journal.expect('lobbies.list', {}, null as never))).toContain('the times are null')
    expect(await messageOf(() => journal.expect(undefined as never))).toContain('the operation is missing')
    expect(await messageOf(() => journal.expect('lobbies.list', {}, -1))).toContain(
      'expect: the times are -1: expected',
    )
    expect(await messageOf(() => journal.expect('lobbies.list', {}, { max: -1 }))).toContain('expect: times.max is -1')
  })
})
