import { fc, test } from '@fast-check/vitest'
import { describe, expect, inject, it } from 'vitest'
import * as yaml from 'yaml'
import { createClient } from '../../../src/client/index.js'
import { exactValue, writeJson } from '../../../src/core/lib/json.js'
import { mockOf } from '../../../src/core/mock/facade.js'
import type { ScenarioInput } from '../../../src/core/scenario/schema.js'
import { readYaml } from '../../../src/core/scenario/yaml.js'
import { WorldStorage } from '../../../src/core/storage/world-storage.js'
import { Api } from '../../../src/dashboard/world/api.js'
import { FollowedWorld } from '../../../src/dashboard/world/followed-world.js'
import { createMockmaker, type Mockmaker } from '../../../src/index.js'
import { scenarioText } from '../../../src/server/files/scenario-file.js'
import { readHar } from '../../../src/server/har/read.js'
import { compareRecording } from '../../../src/server/har/replay.js'
import { scenarioOf } from '../../../src/server/har/scenario-of.js'
import { journalToHar } from '../../../src/server/har/write.js'
import { listen } from '../../../src/server/http/index.js'
import { memoryStorage } from '../../core/storage/memory-storage.js'
import { mswEntryPoint } from '../../support/entry-points.js'
import { anyJsonObjectText, anyJsonText, type JsonText } from '../../support/exact-json.js'
import { fetchInProcess, origin } from '../../support/fetch-in-process.js'
import { ask, sendTo, type TestRequest, type TestResponse } from '../../support/http.js'
import { jsonHeaders } from '../../support/served-mock.js'
import { bearer } from '../../support/tanks.js'

const scenario: ScenarioInput = {
  seed: 1,
  clock: 'frozen',
  game_modes: ['duel'],
  lobbies: [{ lobby_id: 'arena' }],
  tokens: { public: 'pub_prod.mock.one' },
}

const ofServer = bearer('lobby.mock.arena')
const statePath = '/matchmaker/lobbies/state'
const putState = (state: string): TestRequest => ({ method: 'PUT', path: statePath, headers: ofServer, body: state })
const getState: TestRequest = { method: 'GET', path: '/matchmaker/lobbies/arena/state', headers: ofServer }
const listStates: TestRequest = { method: 'GET', path: '/matchmaker/lobbies/list', query: 'include_state=true' }
const create = (config: string): TestRequest => ({
  method: 'POST',
  path: '/matchmaker/lobbies/create',
  body: `{"game_mode":"duel","publicity":"public","lobby_config":${config}}`,
})

type Send = (request: TestRequest) => Promise<TestResponse>

/** A state and a configuration of a lobby. A configuration of null is none. */
const lobby = fc.record({ state: anyJsonText, config: anyJsonText.filter(({ sent }) => sent !== 'null') })
const runs = { numRuns: inject('runs') }
/** For worlds behind a socket, a page or a storage. */
const few = { numRuns: Math.ceil(inject('runs') / 5) }

/** Sets the state, and creates a lobby. Returns its id. */
async function write(send: Send, { state, config }: { state: JsonText; config: JsonText }): Promise<string> {
  const { status, body } = await send(putState(state.sent))
  expect([status, body]).toEqual([200, '{}'])
  const made = await send(create(config.sent))
  expect(made.status, made.body).toBe(200)
  return JSON.parse(made.body).lobby.lobby_id
}

/** What a list has of the arena. */
const listed = ({ answered }: JsonText) =>
  answered.startsWith('{') ? `"total_player_count":0,"state":${answered}}` : '"total_player_count":0}'

/** Expects the state in the answers of the service. */
async function expectState(send: Send, state: JsonText): Promise<void> {
  expect((await send(getState)).body).toBe(state.answered)
  expect((await send(listStates)).body).toContain(listed(state))
}

/** Starts a mock whose worlds a storage keeps. */
function start(storage: ReturnType<typeof memoryStorage>, scenario: ScenarioInput) {
  const mock = createMockmaker({ scenario })
  const worlds = new WorldStorage(storage, { leastLogBytes: 0 })
  mockOf(mock, 'test').keepIn({ storage: worlds, dataTtlMs: Number.POSITIVE_INFINITY })
  return { mock, worlds }
}

/** The scenario with a state of its lobby. */
const withState = ({ sent }: JsonText) =>
  readYaml(
    `${JSON.stringify({ ...scenario, lobbies: [] }).replace('[]', () => `[{"lobby_id":"arena","state":${sent}}]`)}`,
    {
      yaml,
    },
  )

const rowOf = (mock: Mockmaker) => mock.world.lobbies.get('arena') as object

describe('an integer that a number cannot hold', () => {
  test.prop([lobby], runs)('keeps its digits from request to answer, as code sees a number', async written => {
    const mock = createMockmaker({ scenario })
    const send: Send = request => ask(mock, request)

    const made = await write(send, written)

    await expectState(send, written.state)
    expect(mock.lobbyEnvironment(made).RIVET_LOBBY_CONFIG).toBe(written.config.answered)
    expect(rowOf(mock)).toHaveProperty('state', JSON.parse(written.state.sent))
    await mock.close()
  })

  test.prop([lobby], few)('keeps them with MSW', async written => {
    const mock = await mswEntryPoint.open(scenario)

    await write(mock.send, written)

    await expectState(mock.send, written.state)
    await mock.close()
  })

  test.prop([lobby, lobby], few)('keeps them in all that the control API answers', async (written, later) => {
    const mock = createMockmaker({ scenario })
    const { url, close } = await listen(mock, { port: 0, host: '127.0.0.1' })
    const send: Send = request => sendTo(url, request)
    const steer = async (method: string, path: string, body?: string, headers = {}) => {
      const [pathname = '', query] = path.split('?')
      const sent = {
        method,
        path: pathname,
        ...(query !== undefined && { query }),
        headers: { ...jsonHeaders, ...headers },
      }
      const answer = await send(body === undefined ? sent : { ...sent, body })
      expect(answer.status, answer.body).toBe(200)
      return answer.body
    }
    const client = createClient(url)
    const events = await client.changes()
    const { state, config } = written

    const made = await write(send, written)

    const { value } = await events.next()
    expect(writeJson(value)).toContain(`"state":${state.answered}`)
    await events.return(undefined)
    expect(await steer('GET', '/__mock/lobbies/arena')).toContain(`"state":${state.answered}`)
    expect(await steer('GET', `/__mock/lobbies/${made}`)).toContain(`"lobby_config":${config.answered}`)
    expect(writeJson(await client.world.lobbies.get('arena'))).toContain(`"state":${state.answered}`)
    expect(await steer('GET', '/__mock/rows?tables=lobbies')).toContain(`"state":${state.answered}`)
    expect(await steer('GET', '/__mock/history')).toContain(`"state":${state.answered}`)
    expect(await steer('GET', '/__mock/journal')).toContain(`"body":${state.answered},"status":200`)
    expect(await steer('GET', '/__mock/journal')).toContain(`"lobby_config":${config.answered}`)

    const { revision } = mock.world
    const snapshot = await steer('GET', '/__mock/snapshot?with=journal')
    expect(snapshot).toContain(`"state":${state.answered}`)
    await steer('PUT', '/__mock/worlds/fork', '{"fork":"default"}')
    await write(send, later)
    const asYaml = await steer('GET', `/__mock/snapshot?revision=${revision}`, undefined, {
      accept: 'application/yaml',
    })
    for (const [id, path, body] of [
      ['restored', '/__mock/snapshot', snapshot],
      ['loaded', '/__mock/scenario', JSON.stringify({ text: asYaml })],
      ['sent', '/__mock/scenario', `{"scenario":${snapshot}}`],
    ] as const) {
      await steer('PUT', `/__mock/worlds/${id}`, '{}')
      await steer('PUT', `/w/${id}${path}`, body)
    }
    const own = await client.worlds.put('client')
    await own.restore(await client.snapshot({ revision }))
    for (const id of ['fork', 'restored', 'loaded', 'sent', 'client'])
      expect((await send({ ...getState, path: `/w/${id}${getState.path}` })).body, id).toBe(state.answered)
    expect((await send(getState)).body).toBe(later.state.answered)

    await steer('PATCH', '/__mock/lobbies/arena', `{"state":${state.sent},"is_closed":false}`)
    if (state.answered !== 'null') expect((await send(getState)).body).toBe(state.answered)
    await steer('POST', '/__mock/lobbies', `{"lobby_id":"posted","lobby_config":${config.sent}}`)
    expect(mock.lobbyEnvironment('posted').RIVET_LOBBY_CONFIG).toBe(config.answered)
    await close()
  })

  const ownPrototype = { sent: '{"__proto__":0,"k":"0"}', answered: '{"__proto__":0,"k":"0"}' }
  const withPrototype = { state: ownPrototype, config: { sent: '1', answered: '1' } }

  test.prop([lobby], { ...few, examples: [[withPrototype]] })(
    'keeps them in a HAR, in a scenario from it, and in its comparison',
    async written => {
      const mock = createMockmaker({ scenario })
      const send: Send = request => ask(mock, request)
      await write(send, written)
      await send(listStates)
      const har = JSON.stringify(journalToHar(mock.journal.find(), { url: 'http://mock.test' }))
      await mock.close()

      const texts = (JSON.parse(har) as ReturnType<typeof journalToHar>).log.entries.map(({ request, response }) => [
        request.postData?.text,
        response.content.text,
      ])
      expect(texts[0]?.[0]).toBe(
        written.state.answered.startsWith('"') ? JSON.parse(written.state.sent) : written.state.answered,
      )
      expect(texts[1]?.[0]).toContain(`"lobby_config":${written.config.answered}`)
      const recording = readHar(har, 'session.har')
      if (written.state.answered.startsWith('{'))
        expect(writeJson(scenarioOf(recording).scenario)).toContain(`"state":${written.state.answered}`)
      const { drifts } = await compareRecording(recording)
      expect(drifts.filter(({ kind }) => kind === 'value')).toEqual([])
    },
  )

  it('is a difference of answers in which only its digits differ', async () => {
    const mock = createMockmaker({ scenario })
    for (const id of ['76561197960287678', '76561197960287679']) {
      await ask(mock, putState(`{"id":${id}}`))
      await ask(mock, listStates)
    }
    const har = JSON.stringify(journalToHar(mock.journal.find(), { url: 'http://mock.test' }))
    await mock.close()

    const { drifts } = await compareRecording(readHar(har, 'session.har'))

    expect(drifts.map(({ path, recorded, mock }) => [path, recorded, mock])).toEqual([
      ['lobbies[].state.id', '76561197960287679', '76561197960287678'],
    ])
  })

  test.prop([lobby, fc.boolean()], few)('keeps them in a storage', async (written, hasBase) => {
    const storage = memoryStorage()
    const { config: initial } = written
    const given = withState(initial)
    const first = start(storage, given)
    const made = await write(request => ask(first.mock, request), written)
    if (hasBase) await first.worlds.tick()
    await first.mock.close()

    const { mock } = start(storage, given)

    await expectState(request => ask(mock, request), written.state)
    expect(mock.lobbyEnvironment(made).RIVET_LOBBY_CONFIG).toBe(written.config.answered)
    await mock.reset()
    await expectState(request => ask(mock, request), initial)
    await mock.close()
  })

  it('is compared by the faults of a scenario, also after a restart', async () => {
    const storage = memoryStorage()
    const fault = '{"match":{"body":{"id":76561197960287678}},"effect":{"error":{"status":418,"code":"TEA"}}}'
    const given = readYaml(JSON.stringify({ ...scenario, faults: [] }).replace('"faults":[]', `"faults":[${fault}]`), {
      yaml,
    })
    const statuses = async ({ mock, worlds }: ReturnType<typeof start>) => {
      const answers = [
        await ask(mock, putState('{"id":76561197960287679}')),
        await ask(mock, putState('{"id":76561197960287678}')),
      ]
      await worlds.tick()
      await mock.close()
      return answers.map(({ status }) => status)
    }

    expect([await statuses(start(storage, given)), await statuses(start(storage, given))]).toEqual([
      [200, 418],
      [200, 418],
    ])
  })

  test.prop([lobby], runs)('keeps them from a scenario in JSON or YAML to the next', async ({ state, config }) => {
    const lobbies = (text: JsonText, other: JsonText) =>
      `"lobbies":[{"lobby_id":"arena","state":${text.sent},"lobby_config":${other.sent}}]`
    const json = `{"game_modes":["duel"],"clock":"frozen",${lobbies(state, config)}}`
    for (const text of [json, `# YAML\n${json}`]) {
      const mock = createMockmaker({ scenario: readYaml(text, { yaml }) })
      const next = createMockmaker({ scenario: readYaml(scenarioText(writeJson(mock.snapshot())), { yaml }) })

      for (const { answer, lobbyEnvironment, close } of [mock, next]) {
        expect((await ask({ answer }, getState)).body).toBe(state.answered)
        expect(lobbyEnvironment('arena').RIVET_LOBBY_CONFIG).toBe(config.answered)
        await close()
      }
    }
  })

  test.prop([lobby], few)('keeps them on the page', async ({ state }) => {
    const mock = createMockmaker({ scenario })
    const followed = new FollowedWorld(new Api(origin, fetchInProcess(mock).fetch))
    await expect.poll(() => followed.version.value).toBeGreaterThan(0)
    await ask(mock, putState(state.sent))

    await expect
      .poll(() => writeJson(exactValue(Object(followed.tables.lobbies.get('arena')), 'state')))
      .toBe(state.answered)
    await mock.close()
  })

  test.prop([anyJsonText, anyJsonText], runs)(
    'makes a change set and wakes nobody else only if its text is another one',
    async (one, other) => {
      const mock = createMockmaker({ scenario })
      await ask(mock, putState(one.sent))
      const { revision } = mock.world

      await ask(mock, putState(one.answered))
      const same = mock.world.revision
      await ask(mock, putState(other.sent))

      expect([same, mock.world.revision > same]).toEqual([revision, one.answered !== other.answered])
      await mock.close()
    },
  )

  test.prop([anyJsonObjectText, fc.boolean()], runs)(
    'stays while code writes another column, and goes with a new value',
    async (state, isClosed) => {
      const mock = createMockmaker({ scenario })
      await ask(mock, putState(state.sent))

      await mock.world.lobbies.update('arena', { is_closed: isClosed })
      mock.world.transaction(tx => tx.lobbies.update('arena', { total_player_count: 1 }))
      expect((await ask(mock, getState)).body).toBe(state.answered)
      await mock.world.lobbies.update('arena', { state: JSON.parse(state.sent) })
      expect((await ask(mock, getState)).body).toBe(JSON.stringify(JSON.parse(state.sent)))
      await mock.close()
    },
  )

  it.for(['%s', '[%s]', '{"id":%s}'])('is another value if only its digits differ: %s', async form => {
    const [first, second, rounded] = ['76561197960287678', '76561197960287679', '76561197960287680'].map(digits =>
      form.replace('%s', digits),
    ) as [string, string, string]
    const mock = createMockmaker({ scenario: withState({ sent: first, answered: first }) })
    const after: [string, boolean][] = []
    const step = async (write: () => unknown) => {
      const { revision } = mock.world
      await write()
      after.push([(await ask(mock, getState)).body, mock.world.revision > revision])
    }

    await step(() => ask(mock, putState(second)))
    await step(() => ask(mock, putState(second)))
    await step(() => mock.reload(withState({ sent: second, answered: second })))
    await step(() => mock.reload(withState({ sent: first, answered: first })))
    await step(() => mock.world.lobbies.update('arena', { state: JSON.parse(first) }))

    expect(after).toEqual([
      [second, true],
      [second, false],
      [second, true],
      [first, true],
      [rounded, true],
    ])
    await mock.close()
  })

  it.for([
    ['76561197960287678', 7],
    ['"7"', 7],
  ] as const)('is not in the answer of a resolver that has %s, and answers %i', async ([state, answer]) => {
    const mock = createMockmaker({ scenario })
    await ask(mock, putState(state))
    mock.on('lobbies.getState', async ({ original }) => {
      await original()
      return answer
    })

    expect((await ask(mock, getState)).body).toBe(String(answer))
    await mock.close()
  })

  it('stays in an answer that a resolver of code or a held request returns', async () => {
    const mock = createMockmaker({ scenario })
    const { url, close } = await listen(mock, { port: 0, host: '127.0.0.1' })
    const [sent, other] = ['76561197960287678', '76561197960287679']
    await ask(mock, putState(sent))
    const inputs: unknown[] = []
    mock.on('lobbies.setState', ({ input, original }) => {
      inputs.push(input.jsonBody)
      return original()
    })
    const originals: unknown[] = []
    const remove = mock.on('lobbies.getState', async ({ original }) => {
      originals.push(await original())
      return originals[0]
    })

    await ask(mock, putState(other))
    const resolved = (await ask(mock, getState)).body
    remove()
    mock.faults.add({ operation: 'lobbies.getState', effect: { hold: true } })
    const waiting = [ask(mock, getState), ask(mock, getState)]
    const blocked = await mock.blocked(2)
    const held = await Promise.all(blocked.map(({ id }) => sendTo(url, { method: 'GET', path: `/__mock/held/${id}` })))
    for (const { id } of blocked)
      await sendTo(url, {
        method: 'POST',
        path: `/__mock/held/${id}/release`,
        headers: jsonHeaders,
        body: `{"answer":{"body":${sent}}}`,
      })

    expect([inputs, originals, resolved]).toEqual([[Number(other)], [Number(other)], other])
    for (const { body } of held) expect(body).toContain(`"draft":{"status":200,"body":${other}}`)
    expect((await Promise.all(waiting)).map(({ body }) => body)).toEqual([sent, sent])
    await close()
  })

  it('is compared by its digits where a text expects it, and as a number where code does', async () => {
    const mock = createMockmaker({ scenario })
    const { url, close } = await listen(mock, { port: 0, host: '127.0.0.1' })
    await ask(mock, putState('{"id":76561197960287678}'))
    const verified = async (id: string) => {
      const body = `{"operation":"lobbies.setState","match":{"body":{"id":${id}}}}`
      const sent = { method: 'POST', path: '/__mock/journal/verify', headers: jsonHeaders, body }
      return JSON.parse((await sendTo(url, sent)).body) as { readonly ok: boolean }
    }
    const add = { method: 'POST', path: '/__mock/faults', headers: jsonHeaders }
    const effect = '"effect":{"error":{"status":418,"code":"TEA"}}'
    await sendTo(url, { ...add, body: `{"match":{"body":{"id":76561197960287679}},${effect}}` })

    expect(await verified('76561197960287678')).toMatchObject({ ok: true })
    expect(await verified('76561197960287679')).toMatchObject({ ok: false })
    mock.journal.expect('lobbies.setState', { body: { id: Number('76561197960287678') } })
    expect(() => mock.journal.expect('lobbies.setState', { body: { id: 7 } })).toThrow(
      /body\.id: expected 7, and it is 76561197960287678$/m,
    )
    const statuses = [
      await ask(mock, putState('{"id":76561197960287678}')),
      await ask(mock, putState('{"id":76561197960287679}')),
    ]
    expect(statuses.map(({ status }) => status)).toEqual([200, 418])
    await close()
  })

  it('is cleared by code that writes the same number', async () => {
    const mock = createMockmaker({ scenario })
    const rounded = Number('76561197960287678')
    const written = async (sent: string, write: (draft: { state?: unknown }) => void) => {
      await ask(mock, putState(sent))
      await mock.world.lobbies.update(q => q.where({ lobby_id: 'arena' }), { data: write })
      return (await ask(mock, getState)).body
    }

    expect(
      await written('{"id":76561197960287678}', ({ state }) => Object.assign(Object(state), { id: rounded })),
    ).toBe(`{"id":${rounded}}`)
    expect(await written('[76561197960287678]', ({ state }) => Object.assign(Object(state), [rounded]))).toBe(
      `[${rounded}]`,
    )
    expect(await written('76561197960287678', draft => Object.assign(draft, { state: rounded }))).toBe(String(rounded))
    expect(await written('[76561197960287678]', draft => Object.assign(draft, { is_closed: true }))).toBe(
      '[76561197960287678]',
    )
    await mock.close()
  })

  it('is found by its digits', async () => {
    const mock = createMockmaker({ scenario })
    const { url, close } = await listen(mock, { port: 0, host: '127.0.0.1' })
    await ask(mock, putState('{"id":76561197960287678}'))
    const found = async (id: string) =>
      JSON.parse((await sendTo(url, { method: 'GET', path: '/__mock/lobbies', query: `state.id=${id}` })).body).lobbies
        .length

    expect([await found('76561197960287678'), await found('76561197960287680')]).toEqual([1, 0])
    expect(exactValue(Object(mock.world.lobbies.get('arena')?.state), 'id')).toBe(76_561_197_960_287_678n)
    await close()
  })
})
