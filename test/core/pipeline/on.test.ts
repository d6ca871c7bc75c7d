import { HttpResponse, passthrough } from 'msw'
import { describe, expect, vi } from 'vitest'
import { ApiError, type Mockmaker, type OperationId, type OverrideResolver } from '../../../src/index.js'
import { localEntryPoints } from '../../support/entry-points.js'
import { it } from '../../support/fixtures.js'
import { ask, failure, json } from '../../support/http.js'
import { bearer, completion, ids, tanks, tokens } from '../../support/tanks.js'
import { flushPromises, isBusy, stateOf } from '../../support/worlds.js'

const list = { method: 'GET', path: '/matchmaker/lobbies/list', headers: bearer(tokens.public) } as const
const nothing = { game_modes: [], lobbies: [], regions: [] }
/** Returns a list whose game mode names the resolver. */
const listOf = (name: string) => ({ ...nothing, game_modes: [{ game_mode_id: name }] })
const modes = (got: { readonly body: string }) => {
  const { game_modes } = JSON.parse(got.body) as { game_modes: { game_mode_id: string }[] }
  return game_modes.map(({ game_mode_id }) => game_mode_id)
}
const ours = ['duel', 'ffa', 'secret']

describe.each(localEntryPoints)('mock.on through $name', entryPoint => {
  it('answers from the next request on, until reset', async () => {
    const { mock, send, close } = await entryPoint.open(tanks)
    const before = modes(await send(list))
    mock.on('lobbies.list', () => listOf('mine'))
    const during = modes(await send(list))

    await mock.reset()

    expect([before, during, modes(await send(list))]).toEqual([ours, ['mine'], ours])
    await close()
  })

  it('answers in the world that it was added to, and in no other', async () => {
    const { mock, send, close } = await entryPoint.open(tanks)
    const other = await mock.worlds.put('other')
    other?.on('lobbies.list', () => listOf('other'))

    const answers = [await send(list), await send({ ...list, path: `/w/other${list.path}` })]

    expect(answers.map(modes)).toEqual([ours, ['other']])
    await close()
  })

  it('answers a bug with 500, and logs where the answer is wrong', async ({ consoleError }) => {
    const { mock, send, close } = await entryPoint.open(tanks)
    mock.on('lobbies.list', () => ({ ...nothing, lobbies: [{ lobby_id: 5 }] }) as never) // no type lets it pass

    const got = await send(list)

    expect(failure(got)).toBe('500 ERROR')
    expect(consoleError).toHaveBeenCalledOnce()
    expect(consoleError.mock.calls[0]?.[0]).toMatch(
      /^mockmaker: the resolver of lobbies\.list failed, answered with 500/,
    )
    expect(String(consoleError.mock.calls[0]?.[1])).toContain('answer.lobbies[0].lobby_id is 5: expected string')
    await close()
  })
})

describe('mock.on', () => {
  it('asks the newest resolver first, and the previous one when that is removed', async ({ mock }) => {
    const removers = ['one', 'two', 'three'].map(name => mock.on('lobbies.list', () => listOf(name)))
    const answers = [modes(await ask(mock, list))]

    for (const remove of [removers[1], removers[2], removers[2], removers[0]]) {
      remove?.()
      answers.push(modes(await ask(mock, list)))
    }

    expect(answers).toEqual([['three'], ['three'], ['one'], ['one'], ours])
  })

  it('answers one request by a resolver with `once`, and the next by the one before', async ({ mock }) => {
    for (const name of ['one', 'two', 'three']) mock.on('lobbies.list', () => listOf(name), { once: name !== 'one' })

    const refused = await ask(mock, { ...list, query: 'include_state=x' })
    const answers: string[][] = []
    for (let i = 0; i < 4; i++) answers.push(modes(await ask(mock, list)))

    expect([failure(refused), answers]).toEqual(['400 API_BAD_QUERY', [['three'], ['two'], ['one'], ['one']]])
  })

  it('keeps a resolver with `once` for a held request whose answer was only looked at', async ({ mock }) => {
    mock.on('lobbies.list', () => listOf('mine'), { once: true })
    mock.hold('lobbies.list', { times: 1 })
    const got = ask(mock, list)
    const [{ id } = { id: '' }] = mock.journal.pending() as { id: string }[] // a held one has an id

    expect(mock.held.get(id)?.draft).toEqual({ waits_for: 'resolver' })
    mock.held.release(id)
    expect([modes(await got), modes(await ask(mock, list))]).toEqual([['mine'], ours])
  })

  it.for<readonly [what: string, resolver: () => unknown, said: string]>([
    ['a Response', () => HttpResponse.json(nothing), 'returned a Response: return its body as an object'],
    ['a Response that it throws', () => Promise.reject(HttpResponse.json({}, { status: 503 })), 'threw a Response:'],
    ['passthrough()', () => passthrough(), 'returned passthrough(): return original()'],
    [
      'a generator',
      function* () {
        yield nothing
      },
      'returned a generator: return one answer',
    ],
    [
      'an asynchronous generator',
      async function* () {
        yield nothing
      },
      'add a resolver for each with { once: true }',
    ],
    ['a list', () => [], 'answer is []: expected object'],
    ['nothing', () => undefined, 'returned nothing: return original()'],
  ])('says what to do instead of what MSW allows: %s', async ([, resolver, said], { mock, consoleError }) => {
    mock.on('lobbies.list', resolver as never) // no type lets it pass

    expect(failure(await ask(mock, list))).toBe('500 ERROR')
    expect(String(consoleError.mock.calls[0]?.[1])).toContain(said)
  })

  it('removes a resolver that was added twice once for each call', async ({ mock }) => {
    const resolver = () => listOf('mine')
    const [first] = [mock.on('lobbies.list', resolver), mock.on('lobbies.list', resolver)]

    first?.()
    first?.()

    expect(modes(await ask(mock, list))).toEqual(['mine'])
  })

  it('keeps a resolver that was added after a reset when an older one is removed', async ({ mock }) => {
    const remove = mock.on('lobbies.list', () => listOf('before'))
    await mock.reset()
    mock.on('lobbies.list', () => listOf('after'))

    remove()

    expect(modes(await ask(mock, list))).toEqual(['after'])
  })

  it("passes the parsed input, the world and the mock's answer to the resolver", async ({ mock }) => {
    const resolver = vi.fn<OverrideResolver<'lobbies.list'>>(async ({ world, original }) => {
      await world.lobbies.delete(q => q.where({ lobby_id: ids.lobby }))
      const answer = await original()
      return { ...answer, game_modes: [] }
    })
    mock.on('lobbies.list', resolver)

    const got = await ask(mock, { ...list, query: 'include_state=true' })

    expect(resolver.mock.calls[0]?.[0].input).toEqual({ include_state: true })
    expect(json(got)).toMatchObject({ game_modes: [], lobbies: [{ lobby_id: 'empty' }] })
  })

  it('is not bypassed by cached answers', async ({ mock }) => {
    const answers = [modes(await ask(mock, list)), modes(await ask(mock, list))]
    const remove = mock.on('lobbies.list', async ({ original }) => {
      const answer = await original()
      answer.game_modes.reverse()
      return answer
    })
    answers.push(modes(await ask(mock, list)), modes(await ask(mock, list)))
    remove()
    answers.push(modes(await ask(mock, list)))

    expect(answers).toEqual([ours, ours, ours.toReversed(), ours.toReversed(), ours])
  })

  it('also answers a development token, which the mock answers with canned data', async ({ mock }) => {
    mock.on('lobbies.list', () => listOf('mine'))

    expect(modes(await ask(mock, { ...list, headers: bearer(tokens.development) }))).toEqual(['mine'])
  })

  it.for([
    ['load', (mock: Mockmaker) => mock.load(tanks)],
    ['worlds.put', (mock: Mockmaker) => mock.worlds.put('default', { scenario: tanks })],
  ] as const)('ends with %s', async ([, begin], { mock }) => {
    mock.on('lobbies.list', () => listOf('mine'))

    await begin(mock)

    expect(modes(await ask(mock, list))).toEqual(ours)
  })

  it('stays when a snapshot is restored, as faults do', async ({ mock }) => {
    mock.on('lobbies.list', () => listOf('mine'))

    await mock.restore(mock.snapshot())

    expect(modes(await ask(mock, list))).toEqual(['mine'])
  })

  it('runs after faults, checks and overrides', async ({ mock }) => {
    const resolver = vi.fn(() => listOf('mine'))
    mock.on('lobbies.list', resolver)
    const handler = mock.override('lobbies.list', async ({ original }) => {
      const { game_modes } = await original()
      return { ...nothing, game_modes: [...game_modes, { game_mode_id: 'override' }] }
    })

    const refused = await ask(mock, { ...list, query: 'include_state=x' })
    mock.faults.add({ effect: { error: { status: 503 } }, times: 1 })
    const struck = await ask(mock, list)
    const calls = resolver.mock.calls.length
    const overridden = await handler.run({ request: new Request(`http://x${list.path}`), requestId: '1' })

    expect([failure(refused), struck.status, calls]).toEqual(['400 API_BAD_QUERY', 503, 0])
    expect(modes({ body: (await overridden?.response?.text()) ?? '' })).toEqual(['mine', 'override'])
  })

  it('answers with the ApiError that a resolver throws', async ({ mock, consoleError }) => {
    mock.on('lobbies.find', () => {
      throw new ApiError('MATCHMAKER_LOBBY_FULL', 'no room')
    })

    const got = await ask(mock, {
      ...list,
      method: 'POST',
      path: '/matchmaker/lobbies/find',
      body: '{"game_modes":["duel"]}',
    })

    expect([failure(got), consoleError.mock.calls]).toEqual(['400 MATCHMAKER_LOBBY_FULL', []])
  })

  it('answers with 500 if a resolver throws anything else, and reports it once', async ({ mock, consoleError }) => {
    mock.on('lobbies.list', () => {
      throw new Error('secret detail')
    })

    const got = await ask(mock, list)

    expect([failure(got), consoleError.mock.calls.length]).toEqual(['500 ERROR', 1])
    expect(json(got)).toMatchObject({ message: expect.stringMatching(/^the resolver of lobbies\.list failed: /) })
    expect(got.body).not.toContain('secret detail')
  })

  it('answers with 500 if the resolver makes the answer to a write wrong, after the write', async ({
    mock,
    consoleError,
  }) => {
    mock.on('devices.links.complete', async ({ original }) => {
      await original()
      return undefined as never // no type lets it pass
    })

    const got = await ask(mock, completion)

    expect([failure(got), mock.world.deviceLinks.get(tokens.pending)?.status]).toEqual(['500 ERROR', 'complete'])
    expect(String(consoleError.mock.calls[0]?.[1])).toContain(
      'the resolver of devices.links.complete returned nothing: return original() for the answer of the mock',
    )
  })

  it('expects undefined from the resolver if the body is empty', async ({ mock, consoleError }) => {
    const id = 'games.namespaces.updateGameNamespaceMatchmakerConfig'
    const body = '{"lobby_count_max":1,"max_players":1}'
    const path = `/cloud/games/${ids.tanks}/namespaces/${ids.prod}/mm-config`
    const sent = { method: 'POST', path, headers: bearer(tokens.cloud), body }
    const remove = mock.on(id, () => ({}) as never) // no type lets it pass

    const wrong = await ask(mock, sent)
    remove()
    mock.on(id, () => undefined)
    const right = await ask(mock, sent)

    expect([failure(wrong), right.status, right.body]).toEqual(['500 ERROR', 200, ''])
    expect(String(consoleError.mock.calls[0]?.[1])).toContain('answer is {}: expected undefined')
  })
})

describe('a resolver that has not answered', () => {
  const never = () => new Promise<never>(() => {})

  it.for([
    ['reset', (mock: Mockmaker) => mock.reset()],
    ['load', (mock: Mockmaker) => mock.load(tanks)],
    ['close', (mock: Mockmaker) => mock.close()],
  ] as const)(
    'ends with %s: its request is answered with 500, and not reported as a bug',
    async ([, end], { mock, consoleError }) => {
      mock.on('lobbies.list', never)
      const got = ask(mock, list)
      await flushPromises()

      await end(mock)

      expect(failure(await got)).toBe('500 ERROR')
      expect((await got).body).toContain('before the resolver of lobbies.list answered')
      expect(consoleError).not.toHaveBeenCalled()
    },
  )

  it('is not in the journal after the reset that ends it', async ({ mock }) => {
    mock.on('lobbies.list', never)
    const got = ask(mock, list)
    await mock.reset()
    await got

    expect(mock.journal.find()).toEqual([])
  })

  it('counts as use of its world', async ({ mock }) => {
    mock.on('lobbies.list', never)
    const got = ask(mock, list)
    const busy = isBusy(mock)
    await mock.reset()
    await got

    expect([busy, isBusy(mock)]).toEqual([true, false])
  })

  it("changes nothing if it asks for the mock's answer after a reset", async ({ mock }) => {
    let goOn = () => {}
    const reset = new Promise<void>(resolve => {
      goOn = resolve
    })
    const late = vi.fn<OverrideResolver<'devices.links.complete'>>(async ({ original }) => {
      await reset
      return original()
    })
    mock.on('devices.links.complete', late)
    const got = ask(mock, completion)
    await mock.reset()
    const before = stateOf(mock.world)

    goOn()
    await Promise.allSettled(late.mock.results.map(({ value }) => value))

    expect([(await got).status, stateOf(mock.world)]).toEqual([500, before])
  })
})

describe('mock.on refuses', () => {
  const resolver = () => nothing

  it.for([
    ['a mistyped operation', 'lobbies.lst', resolver, '"lobbies.lst" is an unknown operation'],
    ['a mistyped operation, and suggests the right one', 'lobbies.lst', resolver, 'Did you mean lobbies.list?'],
    ['a path, and names its operation', '*/matchmaker/lobbies/find', resolver, 'Did you mean lobbies.find?'],
    ['a pattern', 'lobbies.*', resolver, '"lobbies.*" is an unknown operation'],
    ['a key of Object.prototype', 'constructor', resolver, '"constructor" is an unknown operation'],
    ['several operations', ['lobbies.list'], resolver, '["lobbies.list"] is an unknown operation'],
    ['no operation', undefined, resolver, 'undefined is an unknown operation'],
    ['no resolver', 'lobbies.list', undefined, 'the resolver of lobbies.list is undefined: expected a function'],
    ['an answer for a resolver', 'lobbies.list', nothing, 'expected a function, such as ({ original }) => original()'],
  ] as const)('%s', ([, id, given, said], { mock }) => {
    // The types forbid these.
    const wrong = [id as OperationId, given as never] as const

    for (const call of ['on', 'override'] as const) {
      expect(() => mock[call](...wrong)).toThrow(said)
      expect(() => mock[call](...wrong)).toThrow(expect.objectContaining({ name: 'UsageError' }))
    }
  })

  it.for([
    ['an unknown option', { onse: true }, 'options.onse is an unknown key. Known: once. Did you mean once?'],
    ['an option that is no boolean', { once: 1 }, 'options.once is 1: expected true or false'],
    ['options that are no object', true, 'the options are true: expected an object such as { once }'],
  ] as const)('%s', ([, options, said], { mock }) => {
    for (const call of ['on', 'override'] as const)
      expect(() => mock[call]('lobbies.list', resolver, options as never)).toThrow(`${call}: ${said}`)
  })
})
