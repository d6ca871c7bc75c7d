import { describe, expect, it as plain } from 'vitest'
import { operationIds, operations } from '../../../src/core/contract/operations.js'
import { lobbyTokenOf } from '../../../src/core/store/tokens.js'
import { type AnswerProblem, createMockmaker, type HeldRequest } from '../../../src/index.js'
import { type Control, controls, messageOf } from '../../support/controls.js'
import { reservedPlayer, successes, tokenOf } from '../../support/example-calls.js'
import { brokenConnection, link, list, mockWithFaults, prepare } from '../../support/faults.js'
import { ask, failure, json, post, request, type TestRequest } from '../../support/http.js'
import { it, type ServedMock } from '../../support/served-mock.js'
import { tanks, tokens } from '../../support/tanks.js'
import { flushPromises, isBusy, stateOf, watchIndexOf } from '../../support/worlds.js'

const find = { method: 'POST', path: '/matchmaker/lobbies/find', body: '{"game_modes":["duel"]}' } as const

/** Sends a request that a fault holds. */
async function hold(
  { mock }: Pick<ServedMock, 'mock'>,
  control: Control,
  sent: TestRequest,
  operation: 'lobbies.find' | 'lobbies.list' | 'players.connected' | 'devices.links.get' | 'devices.links.prepare',
) {
  const fault = await control.hold(operation)
  const answer = ask(mock, sent)
  const [{ id = '' } = {}] = await control.blocked(1, operation)
  return { id, fault, answer }
}

const textOf = (problems: readonly AnswerProblem[] | undefined) => problems?.map(({ message }) => message.split('.')[0])

describe.each(controls)('a held request, $where', ({ of }) => {
  it('has the answer as a draft that it gets if it is released now', async ({ serve }) => {
    const served = await serve()
    const control = of(served)
    const { id, answer } = await hold(served, control, find, 'lobbies.find')

    const { draft, ...request } = (await control.held.get(id)) as HeldRequest
    await control.held.release(id)

    const got = await answer
    expect(draft).toEqual({ status: got.status, body: json(got) })
    expect(request).toMatchObject({ id, operation: 'lobbies.find', waits_for: 'fault', fault: '1' })
    expect([got.status, got.headers['rvt-ray-id']]).toEqual([200, id])
  })

  it('changes nothing by its draft: no row, no random number, no revision', async ({ serve }) => {
    const served = await serve()
    const control = of(served)
    const { id } = await hold(served, control, find, 'lobbies.find')
    const before = stateOf(served.mock.world)

    const drafts = [await control.held.get(id), await control.held.get(id)]

    expect(stateOf(served.mock.world)).toBe(before)
    expect(drafts[1]).toEqual(drafts[0])
    served.mock.faults.clear()
  })

  it.for([
    ['lobbies.find', { ...find, body: '{"game_modes":["nope"]}' }, '400 MATCHMAKER_GAME_MODE_NOT_FOUND'],
    // It removes the player all the same.
    [
      'players.connected',
      post('/matchmaker/players/connected', { player_token: tokens.connected }, lobbyTokenOf('empty')),
      '400 MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY',
    ],
  ] as const)('has the refusal of the service as a draft: %s', async ([operation, sent, refusal], { serve }) => {
    const served = await serve()
    const control = of(served)
    const { id, answer } = await hold(served, control, sent, operation)

    const held = await control.held.get(id)
    await control.held.release(id)

    const got = await answer
    expect(failure(got)).toBe(refusal)
    expect(held?.draft).toEqual({ status: 400, body: json(got) })
  })

  it('says that a watch would block, with the present data', async ({ serve }) => {
    const served = await serve()
    const control = of(served)
    const index = watchIndexOf(served.mock.world, tokens.pending)
    const sent = { ...link, query: `${link.query}&watch_index=${index}` }
    const { id, answer } = await hold(served, control, sent, 'devices.links.get')

    const held = await control.held.get(id)
    await control.held.release(id, { answer: { status: 200 } })

    const got = await answer
    expect(held?.draft).toEqual({ status: 200, body: json(got), waits_for: 'watch' })
    expect(held?.draft.body).toMatchObject({ watch: { index: String(index) } })
  })

  it('says that a seat would wait for its lobby', async ({ serve }) => {
    const served = await serve({ scenario: { clock: 'frozen', game_modes: ['duel'], servers: 'manual' } })
    const control = of(served)
    const { id } = await hold(served, control, find, 'lobbies.find')

    const held = await control.held.get(id)

    expect(held?.draft).toMatchObject({
      status: 200,
      waits_for: 'lobby',
      body: { lobby: { lobby_id: expect.any(String) } },
    })
    expect(served.mock.world.lobbies.count()).toBe(0)
    served.mock.faults.clear()
  })

  it('says that code of yours makes the answer', async ({ serve }) => {
    const served = await serve()
    const control = of(served)
    let calls = 0
    served.mock.on('lobbies.list', ({ original }) => {
      calls += 1
      return original()
    })
    const { id } = await hold(served, control, list, 'lobbies.list')

    expect([(await control.held.get(id))?.draft, calls]).toEqual([{ waits_for: 'resolver' }, 0])
    served.mock.faults.clear()
  })

  it('runs its operation at the release, and gets the edited status and body', async ({ serve }) => {
    const served = await serve()
    const { mock } = served
    const control = of(served)
    const { id, answer } = await hold(served, control, prepare, 'devices.links.prepare')
    const before = mock.world.deviceLinks.count()

    await control.held.release(id, { answer: { status: 202, body: { mine: [1, null] } } })

    const got = await answer
    expect([got.status, json(got), got.headers['content-type']]).toEqual([202, { mine: [1, null] }, 'application/json'])
    expect(mock.world.deviceLinks.count()).toBe(before + 1)
    const [entry] = await control.journal.find()
    expect(entry).toMatchObject({ status: 202, answer: { mine: [1, null] }, edited: true, fault: '1' })
    expect((await control.explain({ exchange: entry?.id })).because).toContain(
      'its release replaced the answer of the operation by another one',
    )
  })

  it('keeps the parts of its answer that are not edited', async ({ serve }) => {
    const served = await serve()
    const control = of(served)
    const usual = await ask(served.mock, list)
    const { id, answer, fault } = await hold(served, control, list, 'lobbies.list')
    await control.held.release(id, { answer: { status: 500 } })
    const second = ask(served.mock, list)
    await control.blocked(1)
    await fault.release({ answer: { body: null } })

    expect([(await answer).status, (await answer).body]).toEqual([500, usual.body])
    expect([(await second).status, (await second).body]).toEqual([200, 'null'])
  })

  it('gets the edited answer even if its operation refuses it', async ({ serve }) => {
    const served = await serve()
    const control = of(served)
    const sent = { ...find, body: '{"game_modes":["nope"]}' }
    const { id, answer } = await hold(served, control, sent, 'lobbies.find')

    await control.held.release(id, { answer: { status: 200, body: { mine: 1 } } })

    expect([(await answer).status, json(await answer)]).toEqual([200, { mine: 1 }])
  })

  it.for([204, 205, 304])('has no body with the status %i', async (status, { serve }) => {
    const served = await serve()
    const control = of(served)
    const { id, answer } = await hold(served, control, list, 'lobbies.list')

    await control.held.release(id, { answer: { status, body: { a: 1 } } })

    const got = await answer
    expect([got.status, got.body, got.headers['content-type']]).toEqual([status, '', undefined])
  })

  it('fails as a fault does, and its operation does not run', async ({ serve }) => {
    const served = await serve()
    const { mock } = served
    const control = of(served)
    const before = mock.world.deviceLinks.count()
    await control.hold('devices.links.prepare')
    const ways = [
      { error: { status: 503 } },
      { error: { code: 'API_RATE_LIMIT', message: 'later' } },
      { reset: true },
      { empty: true },
    ] as const
    const got: unknown[] = []
    for (const how of ways) {
      const answer = ask(mock, prepare)
      const [{ id = '' } = {}] = await control.blocked(1)
      expect(await control.held.release(id, how)).toEqual([])
      got.push(await answer)
    }

    const [first, second, ...broken] = got as Awaited<ReturnType<typeof ask>>[]
    expect([first, second].map(answer => answer && failure(answer))).toEqual(['503 ERROR', '429 API_RATE_LIMIT'])
    expect(second && json(second)).toEqual({ code: 'API_RATE_LIMIT', message: 'later' })
    expect(broken).toEqual([brokenConnection('reset'), brokenConnection('empty')])
    expect(mock.world.deviceLinks.count()).toBe(before)
  })

  it('never gets an answer, until the world is reset', async ({ serve }) => {
    const served = await serve()
    const control = of(served)
    const { id, answer, fault } = await hold(served, control, list, 'lobbies.list')
    let isAnswered = false
    void answer.then(() => {
      isAnswered = true
    })

    await control.held.release(id, { never: true })
    const released = await fault.release()
    await flushPromises()
    const during = [isAnswered, await control.journal.pending()]
    const busy = [isBusy(served.mock)]
    await control.reset()
    busy.push(isBusy(served.mock))

    expect([released, during, busy]).toEqual([
      0,
      [false, [expect.objectContaining({ waits_for: 'nothing' })]],
      [true, false],
    ])
    expect(during[1]).not.toHaveProperty('0.id')
    expect(await answer).toEqual(brokenConnection('empty'))
    expect(await control.journal.pending()).toEqual([])
  })

  it('waits for the delay of its release, which outlives the fault', async ({ serve }) => {
    const served = await serve()
    const { mock } = served
    const control = of(served)
    const { id, answer, fault } = await hold(served, control, list, 'lobbies.list')
    let status: number | undefined
    void answer.then(got => {
      status = got.status
    })

    await control.held.release(id, { answer: { status: 418 }, delay: 300 })
    await fault.remove()
    await mock.clock.advance(299)
    await flushPromises()
    const before = [status, (await control.journal.pending()).map(({ id }) => id)]
    await mock.clock.advance(1)

    expect([before, (await answer).status]).toEqual([[undefined, [id]], 418])
  })

  it('goes on at once if it is released again during its delay', async ({ serve }) => {
    const served = await serve()
    const control = of(served)
    const { id, answer } = await hold(served, control, list, 'lobbies.list')

    await control.held.release(id, { delay: '1h' })
    await control.held.release(id, { error: { status: 503 } })

    expect((await answer).status).toBe(503)
    expect(served.mock.faults.list()[0]?.holding).toBe(0)
  })

  it('is released alone, or with the others of its fault', async ({ serve }) => {
    const served = await serve()
    const { mock } = served
    const control = of(served)
    const { id, answer, fault } = await hold(served, control, list, 'lobbies.list')
    const others = [ask(mock, list), ask(mock, list)]
    await control.blocked(3)

    await control.held.release(id)
    await answer
    const left = mock.faults.list()[0]?.holding
    const released = await fault.release({ error: { status: 503 } })

    expect([left, released, (await Promise.all(others)).map(({ status }) => status)]).toEqual([2, 2, [503, 503]])
  })

  it('may be the next one only', async ({ serve }) => {
    const served = await serve()
    const control = of(served)
    await control.hold('lobbies.list', { times: 1 })
    const held = ask(served.mock, list)
    await control.blocked(1)

    expect((await ask(served.mock, list)).status).toBe(200)
    served.mock.faults.clear()
    expect((await held).status).toBe(200)
  })

  it('marks what the contract does not allow, and sends it', async ({ serve }) => {
    const served = await serve()
    const control = of(served)
    const { id, answer } = await hold(served, control, find, 'lobbies.find')
    const { draft } = (await control.held.get(id)) as HeldRequest
    const body = structuredClone(draft.body) as { lobby: Record<string, unknown> }
    body.lobby.lobby_id = 7
    delete body.lobby.region

    const checked = await control.held.check(id, { body })
    const released = await control.held.release(id, { answer: { body } })

    expect(released).toEqual(checked)
    expect(checked?.map(({ path }) => path)).toEqual([
      ['body', 'lobby', 'lobby_id'],
      ['body', 'lobby', 'region'],
    ])
    expect(checked?.map(({ message }) => message)).toEqual([
      'body.lobby.lobby_id is 7: expected string',
      'body.lobby.region is missing: expected object',
    ])
    expect(json(await answer)).toEqual(body)
  })

  it('checks an answer with the parts of its draft', async ({ serve }) => {
    const served = await serve()
    const control = of(served)
    const { id } = await hold(served, control, find, 'lobbies.find')
    const check = async (answer: object) => textOf(await control.held.check(id, answer))

    expect(await check({})).toEqual([])
    expect(await check({ status: 200 })).toEqual([])
    expect(await check({ status: 418 })).toEqual([
      'status is 418: expected 200, 400, 401, 403, 404, 429, 500',
      'body',
      'body',
    ])
    expect(await check({ status: 429, body: { code: 'API_RATE_LIMIT', message: '' } })).toEqual([])
    expect(await check({ status: 400, body: { code: 'API_RATE_LIMIT', message: '' } })).toEqual([
      'status is 400: expected 429, the status of API_RATE_LIMIT',
    ])
    expect(
      (await control.held.check(id, { status: 400, body: { code: 'MATCHMAKER_LOBY_FULL', message: '' } }))?.[0],
    ).toEqual({ path: ['body', 'code'], message: expect.stringContaining('Did you mean MATCHMAKER_LOBBY_FULL?') })
    served.mock.faults.clear()
  })

  it('is unknown before, and after its release', async ({ serve }) => {
    const served = await serve()
    const control = of(served)
    const { id, answer } = await hold(served, control, list, 'lobbies.list')
    await control.held.release(id)
    await answer

    for (const unknown of [id, 'nope'])
      expect([
        await control.held.get(unknown),
        await control.held.check(unknown, { status: 200 }),
        await control.held.release(unknown),
      ]).toEqual([undefined, undefined, undefined])
    expect((await served.steer('GET', '/__mock/held/nope')).body).toContain('GET /__mock/journal lists those that wait')
  })

  it.for([
    [{ answer: {} }, 'expected a status, a body, or both'],
    [{ answer: { status: 199 } }, 'expected at least 200'],
    [{ answer: { status: 600 } }, 'expected at most 599'],
    [{ answer: { statuss: 200 } }, 'Did you mean status?'],
    [{ answer: { status: 200 }, error: { status: 503 } }, 'expected at most one of answer, error, reset, empty, never'],
    [{ error: { status: 200 } }, 'expected at least 400'],
    [{ delay: 'soon' }, 'expected'],
    [{ nevr: true }, 'Did you mean never?'],
  ] as const)('stays held if the release is %j', async ([how, said], { serve }) => {
    const served = await serve()
    const control = of(served)
    const { id, fault } = await hold(served, control, list, 'lobbies.list')

    const messages = [
      await messageOf(() => control.held.release(id, how as never)),
      await messageOf(() => fault.release(how as never)),
    ]

    expect(messages).toEqual([expect.stringContaining(said), expect.stringContaining(said)])
    expect(served.mock.faults.list()[0]?.holding).toBe(1)
    served.mock.faults.clear()
  })
})

describe('a held request', () => {
  plain('with an edited answer is dropped if its client disconnects before its lobby is ready', async () => {
    const mock = createMockmaker({ scenario: { clock: 'frozen', game_modes: ['duel'], servers: 'manual' } })
    const client = new AbortController()
    const { id: fault } = mock.hold('lobbies.find')
    const answer = ask(mock, find, client.signal)
    mock.faults.release(fault, { answer: { status: 202 } })
    const waiting = mock.journal.pending()

    client.abort()

    expect([waiting, (await answer).status]).toMatchObject([[{ waits_for: 'lobby' }], 499])
    expect(mock.world.players.all()).toMatchObject([{ status: 'removed' }])
  })

  plain('is told by an event at once, with its id', async () => {
    const mock = createMockmaker({ scenario: { clock: 'frozen', game_modes: ['duel'] } })
    const events = mock.changes({ with: ['journal'] })
    await events.next()
    mock.hold('lobbies.list')
    const answer = ask(mock, list)

    const { value } = await events.next()
    expect(value).toMatchObject({
      type: 'journal',
      data: { pending: [{ id: expect.any(String), waits_for: 'fault' }] },
    })
    mock.faults.clear()
    await answer
    await events.return?.()
  })

  plain.for([
    [{ status: 400, body: { code: 'MINE', message: 'no' } }, 'MINE', 'no'],
    [{ status: 399, body: { code: 'MINE', message: 'no' } }, undefined, undefined],
    [{ status: 400, body: { code: 1, message: 2 } }, undefined, undefined],
    [{ status: 400, body: null }, undefined, undefined],
  ] as const)(
    'is logged with the code and the message of the failure that it gets: %j',
    async ([edited, code, message]) => {
      const { mock, records } = mockWithFaults([])
      mock.hold('lobbies.list')
      const answer = ask(mock, list)
      const [{ id = '' } = {}] = await mock.blocked()

      mock.held.release(id, { answer: edited })

      await answer
      expect(records).toMatchObject([{ status: edited.status, code, message }])
    },
  )

  plain.for(operationIds)('for %s gets its draft as its answer, and the draft changes nothing', async id => {
    const mock = createMockmaker({ scenario: tanks })
    await mock.world.players.create({ player_token: reservedPlayer, lobby_id: 'arena', status: 'reserved' })
    const { path, query, body } = successes[id]
    const sent = body === undefined ? request(operations[id].method, path, tokenOf(id)) : post(path, body, tokenOf(id))
    mock.hold('*')
    const answer = ask(mock, { ...sent, method: operations[id].method, ...(query === undefined ? {} : { query }) })
    const [{ id: held = '' } = {}] = await mock.blocked()
    const before = [stateOf(mock.world), mock.snapshot()]

    const draft = mock.held.get(held)?.draft
    const after = [stateOf(mock.world), mock.snapshot()]
    const problems = mock.held.release(held, { answer: { status: 200 } })

    const got = await answer
    expect(after).toEqual(before)
    expect(draft).toStrictEqual({ status: got.status, ...(got.body === '' ? {} : { body: json(got) }) })
    expect([got.status, problems]).toEqual([200, []])
  })
})
