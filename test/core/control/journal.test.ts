import { describe, expect } from 'vitest'
import { mockOf } from '../../../src/core/mock/facade.js'
import { RecordedExchange, restoreExchange } from '../../../src/core/pipeline/journal.js'
import { Redactor } from '../../../src/core/pipeline/redact.js'
import { createMockmaker, type ShortenedEntry } from '../../../src/index.js'
import { journalToHar } from '../../../src/server/har/write.js'
import { validate } from '../../support/faults.js'
import { ask, failure, json } from '../../support/http.js'
import { it, type ServedMock } from '../../support/served-mock.js'
import { bearer, completion, ids, tanks, tokens } from '../../support/tanks.js'

const list = { method: 'GET', path: '/matchmaker/lobbies/list' } as const
const link = { method: 'GET', path: '/cloud/devices/links', query: `device_link_token=${tokens.pending}` } as const

/** Records an exchange whose answer has that body. */
function recorded(body: Uint8Array<ArrayBuffer>): RecordedExchange {
  const request = { method: 'GET', path: '/', headers: {} }
  const redactor = new Redactor(mockOf(createMockmaker(), 'test').default.world.tables, new Set())
  return new RecordedExchange(
    { request, startedAt: 0, rayId: 'ray' },
    { status: 200, headers: {}, body },
    { worldId: 'a', at: 0, revision: 1, endedAt: 0, redactor },
  )
}

describe('the journal', () => {
  it('shows all of an exchange', async ({ serve }) => {
    const { mock, client, send } = await serve()
    await send({ ...list, query: 'include_state=false', headers: bearer(tokens.public) })

    const [entry] = await client.journal.find()

    expect(entry).toEqual({
      id: 1,
      time: '2026-11-20T20:00:00.000Z',
      world: 'default',
      operation: 'lobbies.list',
      caller: { kind: 'public', namespace_id: ids.prod },
      method: 'GET',
      path: list.path,
      query: { include_state: 'false' },
      headers: expect.objectContaining({ authorization: 'Bearer pub_prod.…' }),
      status: 200,
      answer: expect.objectContaining({ lobbies: expect.any(Array) }),
      ms: expect.any(Number),
      blocked_ms: 0,
    })
    expect(mock.journal.find()).toStrictEqual([entry])
  })

  it.for([
    [
      { ...list, headers: bearer(tokens.public) },
      { kind: 'public', namespace_id: ids.prod },
    ],
    [
      { ...link, headers: bearer(tokens.cloud) },
      { kind: 'cloud', game_id: ids.tanks },
    ],
    [link, { kind: 'anonymous' }],
  ] as const)('names the game or the namespace of the token of %j', async ([request, caller], { serve }) => {
    const { mock, send } = await serve()
    await send(request)

    expect(mock.journal.find()[0]?.caller).toStrictEqual(caller)
  })

  it('returns one exchange by its id', async ({ serve }) => {
    const { mock, client, send, steer } = await serve()
    for (const sent of [list, link, { ...list, headers: bearer(tokens.public) }]) await send(sent)
    const entries = mock.journal.find()

    const answers = await Promise.all([1, 2, 3].map(id => steer('GET', `/__mock/journal/${id}`)))

    expect(answers.map(json)).toEqual(entries)
    expect(await Promise.all([1, 2, 3].map(id => client.journal.get(id)))).toEqual(entries)
    expect([1, 2, 3].map(id => mock.journal.get(id))).toEqual(entries)
  })

  it('returns an exchange of a snapshot by its new id', async ({ serve }) => {
    const { mock, client, send } = await serve()
    await send(list)
    await mock.restore(mock.snapshot({ with: ['journal'] }))
    const [entry] = mock.journal.find()

    expect(entry?.id).not.toBe(1)
    expect(await client.journal.get(entry?.id ?? 0)).toEqual(entry)
  })

  it('knows the changes of an exchange of a capsule, but not those of one of a snapshot', async ({ serve }) => {
    const { mock, send } = await serve()
    await send(completion)
    const entries = mock.journal.find()
    const past = { revision: 7, caller: undefined }

    expect(entries.map(entry => restoreExchange(entry, past))).toMatchObject([
      { revision: 7, revisions: [mock.world.revision] },
    ])
    expect(entries.map(entry => restoreExchange(entry).revisions)).toEqual([undefined])
  })

  it.for(['99', '0', '-1', 'one', '1.0', '0x1', '1e0', '%201'])('has no exchange %s', async (id, { serve }) => {
    const { mock, client, send, steer } = await serve()
    await send(list)

    const answer = await steer('GET', `/__mock/journal/${id}`)

    expect(failure(answer)).toBe('404 API_NOT_FOUND')
    expect(json(answer)).toMatchObject({
      message: `the journal has no request "${decodeURIComponent(id)}" that this mock has answered: GET /__mock/journal lists the requests`,
    })
    expect(await client.journal.get(99)).toBeUndefined()
    expect(mock.journal.get(99)).toBeUndefined()
  })

  it('leaves the other calls below its path to their methods', async ({ serve }) => {
    const { steer } = await serve()

    const answers = await Promise.all(
      ['next', 'blocked', 'verify'].map(name => steer('GET', `/__mock/journal/${name}`)),
    )

    expect(answers.map(failure)).toEqual(Array(3).fill('400 API_METHOD_NOT_ALLOWED'))
  })

  it('keeps a body even if its bytes are reused', async ({ serve }) => {
    const { mock } = await serve()
    const body = Buffer.from(JSON.stringify({ name_id: 'beta' }))

    await ask(mock, { ...validate, headers: bearer(tokens.cloud), body })
    body.fill(0)

    expect(mock.journal.find()).toEqual([expect.objectContaining({ body: { name_id: 'beta' } })])
  })

  it('holds no usable token', async ({ serve }) => {
    const { mock, steer, send } = await serve()
    await mock.world.tokens.create({ kind: 'cloud', game_id: ids.tanks, token: 'unlabelled' })
    await send({ ...list, headers: { ...bearer(tokens.public), cookie: 'session=biscuit', 'x-note': tokens.cloud } })
    await send({ ...link, headers: bearer('unlabelled') })
    await send(completion)
    await send(link)
    await send({ method: 'POST', path: '/cloud/devices/links' })
    await send({ method: 'GET', path: `/nowhere/${tokens.cloud}`, query: `token=unlabelled&more=${tokens.cloud}` })
    await send({ method: 'GET', path: `/nowhere/${tokens.cloud.replaceAll('.', '%2E')}` })

    const named = {
      token: 'unlabelled',
      'proxy-authorization': 'Bearer unlabelled',
      referer: 'http://x/?token=unlabelled',
      'x-api-key': 'apricot',
      'x-session-id': 'biscuit',
    }
    await send({ method: 'GET', path: '/devices/link/unlabelled/more', headers: named })
    const bodies = [{ token: ['unlabelled', { in: 'unlabelled' }] }, { [tokens.cloud]: 1 }].map(body =>
      JSON.stringify(body),
    )
    for (const body of [...bodies, 'device_link_token=unlabelled', '{"token": "unlabelled"'])
      await send({ ...validate, headers: bearer(tokens.cloud), body })
    await send({ ...list, query: tokens.cloud })

    const { body } = await steer('GET', '/__mock/journal')

    const secrets = [
      ...Object.values(tokens).map(token => token.slice(token.indexOf('mock.'))),
      ...['unlabelled', 'biscuit', 'apricot'],
    ]
    expect(secrets.filter(secret => body.includes(secret))).toEqual([])
    expect(body).not.toMatch(/\.mock\.[a-z0-9]{24}/)
  })

  it('cuts a token that the mock does not know by the name of its field', async ({ serve }) => {
    const { mock, send } = await serve()
    const sent = (name: string) => ({
      ...list,
      query: `${name}=a.stranger`,
      headers: { [`x-${name.replaceAll('_', '-')}`]: 'a.stranger' },
    })
    for (const name of ['token', 'device_link_token']) await send(sent(name))
    for (const value of ['a.stranger', 'Bearer a.stranger'])
      await send({ ...list, headers: { authorization: value, 'proxy-authorization': value } })
    await send({ ...list, headers: { referer: 'http://x/?token=a.stranger' } })
    for (const body of ['{"token":{"in":["a.stranger"]},"a_token":"a.stranger","note":null}', 'a_token=a.stranger'])
      await send({ method: 'POST', path: '/nowhere', body })

    expect(mock.journal.find()).toMatchObject([
      { query: { token: 'a.…' }, headers: { 'x-token': 'a.…' } },
      { query: { device_link_token: 'a.…' }, headers: { 'x-device-link-token': 'a.…' } },
      { headers: { authorization: 'a.…', 'proxy-authorization': 'a.…' } },
      { headers: { authorization: 'Bearer a.…', 'proxy-authorization': 'Bearer a.…' } },
      { headers: { referer: 'http://x/?token=a.…' } },
      { body: { token: { in: ['a.…'] }, a_token: 'a.…', note: null } },
      { body: 'a_token=a.…' },
    ])
  })

  it('cuts a token of less than 8 characters only where it is a word', async ({ serve }) => {
    const { mock, send } = await serve({
      scenario: { ...tanks, device_links: [{ token: 'pearpie' }, { token: 'plumcake' }] },
    })

    await send({ ...list, headers: { 'x-note': 'pearpie, pearpies, x-pearpie, plumcake, plumcakes' } })

    expect(mock.journal.find()[0]?.headers).toMatchObject({ 'x-note': '…, pearpies, x-pearpie, …, …s' })
  })

  it('shows all values of a parameter, and what is no token as it was sent', async ({ serve }) => {
    const { mock, send } = await serve()

    await send({ ...list, path: '/nowhere/a%20b%2Fc', query: 'tag=a&tag=b&tag=&more=%2525&note=undefined' })

    expect(mock.journal.find()).toMatchObject([
      { path: '/nowhere/a%20b%2Fc', query: { tag: ['a', 'b', ''], more: '%25', note: 'undefined' } },
    ])
  })

  it('cuts a token that the scenario names wherever it stands, and so do the log and a HAR', async ({ serve }) => {
    const [game = {}] = tanks.games ?? []
    const named = { cloud: 'sofa/and"table', link: 'kitchen-link&1', short: 'pear' }
    const { mock, url, send } = await serve({
      scenario: {
        ...tanks,
        games: [{ ...game, tokens: { cloud: named.cloud } }],
        device_links: [{ token: named.link }, { token: named.short }],
      },
    })
    const logged: unknown[] = []
    mock.log.subscribe(record => void logged.push(record))
    // Unity encodes in lower case.
    const otherForms = (token: string) => [
      encodeURIComponent(token).replaceAll(/%../g, byte => byte.toLowerCase()),
      [...Buffer.from(token)].map(byte => `%${byte.toString(16)}`).join(''),
      Buffer.from(token).toString('base64url'),
    ]

    for (const token of Object.values(named)) {
      const encoded = encodeURIComponent(token)
      const headers = {
        ...bearer(named.cloud),
        'x-note': `is ${token}!`,
        referer: `http://x/${encoded}`,
        origin: `http://${token}`,
      }
      const sent = { ...validate, headers, query: `note=${encoded}&${encoded}=1` }
      for (const body of [
        { note: [`a (${token})`], [token]: 1 },
        { display_name: token, name_id: token },
      ])
        await send({ ...sent, body: JSON.stringify(body) })
      await send({ ...sent, body: `{"note":${JSON.stringify(token)}` })
      await send({
        ...sent,
        body: String.raw`{"note":"\u${token.charCodeAt(0).toString(16).padStart(4, '0')}${JSON.stringify(token).slice(2)}}`,
      })
      await send({ ...list, path: `/nowhere/${encoded}/more`, headers: { 'x-note': `x${token}` } })
      for (const form of otherForms(token))
        await send({
          ...list,
          path: `/nowhere/${form}`,
          headers: { 'x-note': `is ${form}`, referer: `http://x/?${form}=1` },
        })
    }

    const shown = JSON.stringify([logged, mock.journal.find(), journalToHar(mock.journal.find(), { url })])
    const inJson = (text: string) => JSON.stringify(text).slice(1, -1)
    const known = Object.values(named).flatMap(token => [
      encodeURIComponent(token),
      inJson(token),
      inJson(inJson(token)),
      ...otherForms(token),
    ])
    expect(known.filter(token => shown.replaceAll('xpear', '').includes(token))).toEqual([])
    expect(mock.journal.find()[0]).toMatchObject({
      headers: { 'x-note': 'is …!' },
      query: { note: '…' },
      body: { note: ['a (…)'] },
    })
    expect(
      mock.journal.verify({ operation: '*', match: { headers: { 'x-note': `is ${named.link}!` } }, count: { min: 4 } })
        .ok,
    ).toBe(true)
  })

  it('cuts tokens in paths of the control API too', async ({ serve }) => {
    const { mock, steer } = await serve()
    const paths: string[] = []
    mock.log.subscribe(({ path }) => void paths.push(path))

    await steer('GET', '/__mock/tokens/unlabelled')
    await steer('GET', '/__mock/players/mine')
    await steer('POST', '/w/default/__mock/device-links/device.real.one/expire', {})
    await steer('GET', '/w/unknown/__mock/tokens/unlabelled')

    expect(paths).toEqual([
      '/__mock/tokens/…',
      '/__mock/players/…',
      '/__mock/device-links/device.…/expire',
      '/w/unknown/__mock/tokens/…',
    ])
  })

  it('shows a header as text even if a middleware set another type', async ({ serve }) => {
    const { mock } = await serve()

    await ask(mock, { ...list, headers: { 'x-user-id': 5 as never } }) // no type lets it pass

    expect(mock.journal.find()[0]?.headers).toEqual({ 'x-user-id': '5' })
  })

  it('has failures and requests to unknown paths', async ({ serve }) => {
    const { mock, client, send } = await serve()
    await send({ method: 'POST', path: '/nowhere', body: 'no JSON' })
    await send({ ...list, headers: bearer('x') })

    const [lost, refused] = await client.journal.find()

    expect(lost).toMatchObject({ path: '/nowhere', status: 404, body: 'no JSON', answer: { code: 'API_NOT_FOUND' } })
    expect(lost).not.toHaveProperty('operation')
    expect(refused).toMatchObject({ operation: 'lobbies.list', status: 400 })
    expect(refused).not.toHaveProperty('caller')
    expect(mock.journal.find()).toStrictEqual([lost, refused])
  })

  it('leaves out pages, control calls and requests that the server refused', async ({ serve }) => {
    const { mock, send, steer } = await serve()
    await send({ method: 'GET', path: '/' })
    await send({ ...list, headers: { host: 'evil.example' } })
    await steer('GET', '/__mock/nothing')
    await steer('POST', '/__mock/lobbies', {})

    expect(mock.journal.find()).toEqual([])
  })

  it('finds exchanges by operation, by status and since an id', async ({ serve }) => {
    const { client, send } = await serve()
    for (const sent of [list, link, { ...list, headers: bearer('x') }, list]) await send(sent)
    const idsOf = async (filter: object) => (await client.journal.find(filter)).map(({ id }) => id)

    const found = [
      await idsOf({ operation: 'lobbies.list' }),
      await idsOf({ operation: 'devices.*' }),
      await idsOf({ status: 200, operation: 'l*t' }),
      await idsOf({ since: 2 }),
      await idsOf({ operation: 'games.*' }),
    ]

    expect(found).toEqual([[1, 3, 4], [2], [1, 4], [3, 4], []])
  })

  it('refuses a wrong filter', async ({ serve }) => {
    const { mock, steer } = await serve()

    const none = ['status=ok', 'since=-1', 'operation=lobbies', 'staus=503', 'status=200&status=503']
    const answers = await Promise.all(none.map(query => steer('GET', `/__mock/journal?${query}`)))

    expect(answers.map(failure)).toEqual(none.map(() => '400 API_BAD_QUERY'))
    expect(answers[3]?.body).toContain('Did you mean status?')
    // @ts-expect-error It takes no such key.
    expect(() => mock.journal.find({ staus: 503 })).toThrow('Did you mean status?')
    // @ts-expect-error It is no operation.
    expect(() => mock.journal.find({ operation: 'lobbies' })).toThrow('filter.operation')
  })

  it('keeps the newest exchanges, up to its limit', async ({ serve }) => {
    const { mock, send } = await serve({ journalSize: 3 })
    for (let i = 0; i < 10; i++) await send(list)

    expect(mock.journal.find().map(({ id }) => id)).toEqual([8, 9, 10])
  })

  it('is cleared, and gives no id again', async ({ serve }) => {
    const { mock, client, send } = await serve()
    await send(list)
    await client.journal.clear()
    await send(list)

    expect(mock.journal.find().map(({ id }) => id)).toEqual([2])
  })

  it('is separate in each world', async ({ serve }) => {
    const { mock, send } = await serve()
    await send({ ...list, path: `/w/other${list.path}` })

    const entry = mock.worlds.get('other')?.journal.find()[0]

    expect([mock.journal.find(), entry?.world, entry?.path]).toEqual([[], 'other', list.path])
  })

  it('shows how long a request was blocked', async ({ serve }) => {
    const { mock, client, send } = await serve()
    const { watch } = json(await send(link)) as { watch: { index: string } }
    const waiting = send({ ...link, query: `${link.query}&watch_index=${watch.index}` })
    await expect.poll(() => mock.world.waiters).toBe(1)
    await client.completeDeviceLink(tokens.pending, { game: 'tanks' })
    await waiting

    const entry = mock.journal.find().at(-1)

    expect(entry?.answer).toEqual({ cloud_token: 'cloud.…', watch: { index: expect.any(String) } })
    expect(entry?.since).toBe(entry?.time)
    expect(entry?.blocked_ms).toBeGreaterThan(0)
    expect(entry?.ms).toBeGreaterThanOrEqual(entry?.blocked_ms ?? Number.POSITIVE_INFINITY)
  })

  it('leaves out a body that nests too deep, and can be restored without it', async ({ serve }) => {
    const { mock, client, send } = await serve()
    const deep = `${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}`
    const events = mock.changes()

    const got = await send({ method: 'POST', path: '/cloud/devices/links/complete', body: deep })
    const snapshot = await client.snapshot({ with: ['journal'] })
    await client.restore(snapshot)

    expect(failure(got)).toBe('401 API_UNAUTHORIZED')
    expect(snapshot.journal?.[0]?.body).toBe('… (nests deeper than 128 levels)')
    expect((await client.journal.verify({ match: { status: 401 } })).ok).toBe(true)
    expect((await events.next()).value).toMatchObject({ type: 'exchange', data: { status: 401 } })
    await events.return?.()
  })

  // Quadratic work takes minutes here.
  it.each([
    ['slashes behind a place for tokens', `/devices/link${'/'.repeat(200_000)}`],
    ['places for tokens', '/__mock/players/'.repeat(12_000)],
    ['words before a dot', `.mock.${'a.mock'.repeat(30_000)}`],
    ['words before an underscore', `token=${'_'.repeat(200_000)}`],
    ['names of tokens', '_token=_'.repeat(25_000)],
  ])('shows a body of many %s at once', async (_, body) => {
    const mock = createMockmaker({ scenario: tanks })

    await mock.answer({ method: 'POST', path: '/nowhere', headers: {}, body: new TextEncoder().encode(body) })

    expect(mock.journal.find()).toMatchObject([{ path: '/nowhere', body: expect.any(String) }])
  })

  it.each([
    ['/devices/link/abc', '/devices/link/…'],
    ['/devices/link///abc', '/devices/link///…'],
    ['/devices/link/devices/link/abc', '/devices/link/…/link/…'],
    ['/__mock//players//x.secret', '/__mock//players//x.…'],
    ['/__mock/tokens/pub_prod.mock.abc', '/__mock/tokens/pub_prod.…'],
  ])('cuts the tokens in the path %s', async (path, shown) => {
    const mock = createMockmaker({ scenario: tanks })

    await mock.answer({ method: 'GET', path, headers: {} })

    expect(mock.journal.find()[0]?.path).toBe(shown)
  })

  it('leaves out a body that is too long', async ({ serve }) => {
    const { mock, send } = await serve()
    await send({ method: 'POST', path: '/nowhere', body: 'x'.repeat(256 * 1024) })
    await send({ method: 'POST', path: '/nowhere', body: 'x'.repeat(256 * 1024 + 1) })

    expect(mock.journal.find().map(entry => 'body' in entry)).toEqual([true, false])
  })

  it('leaves out an answer that is too long', () => {
    const answers = [256 * 1024, 256 * 1024 + 1].map(length => new Uint8Array(length))

    expect(answers.map(body => 'answer' in recorded(body).entry())).toEqual([true, false])
  })

  it('has no body if it is empty', async ({ serve }) => {
    const { mock } = await serve()
    await mock.answer({ method: 'POST', path: '/nowhere', headers: {}, body: new Uint8Array() })

    expect(mock.journal.find().map(entry => 'body' in entry)).toEqual([false])
  })

  it('shows a body that may nest as deep as the state of a lobby, but no value below', async ({ serve }) => {
    const { mock, send } = await serve()
    const nested = (levels: number, value: string) => `${'['.repeat(levels)}${value}${']'.repeat(levels)}`
    for (const levels of [64, 65]) await send({ method: 'POST', path: '/nowhere', body: nested(levels, '1') })

    expect(mock.journal.find().map(({ body }) => JSON.stringify(body))).toEqual([nested(64, '1'), nested(64, '"…"')])
  })

  it('cuts a list with the deepest state, so that a snapshot of it can be restored', async ({ serve }) => {
    const { mock, client, send } = await serve()
    const state = JSON.parse(`{"levels":${'['.repeat(63)}1${']'.repeat(63)}}`)
    await mock.lobby({ lobby_id: 'deep', state })
    await send({ method: 'GET', path: '/matchmaker/lobbies/list', query: 'include_state=true' })

    await client.restore(await client.snapshot({ with: ['journal'] }))

    expect(JSON.stringify(mock.journal.find().at(-1)?.answer)).toContain('["…"]')
  })
})

describe('short answers', () => {
  const state = { method: 'GET', path: '/matchmaker/lobbies/arena/state', headers: bearer(tokens.arena) } as const
  async function journal({ steer }: ServedMock): Promise<ShortenedEntry[]> {
    const { exchanges } = json(await steer('GET', '/__mock/journal?answers=short')) as { exchanges: ShortenedEntry[] }
    return exchanges
  }

  /** Asks for a lobby's state, whose JSON has that many bytes. */
  async function answerOf({ mock, send }: ServedMock, bytes: number) {
    const text = 'é'.repeat((bytes - 2) / 2)
    await mock.world.lobbies.update('arena', { state: text })
    expect(Buffer.byteLength((await send(state)).body)).toBe(bytes)
  }

  it('leave out an answer of more than 2 KiB, and have its length', async ({ serve }) => {
    const served = await serve()
    await answerOf(served, 2048)
    await answerOf(served, 2050)
    const [kept, long] = served.mock.journal.find()

    const { answer, ...head } = long ?? {}

    expect(answer).toHaveLength(1024)
    expect(await journal(served)).toEqual([kept, { ...head, answer_bytes: 2050 }])
  })

  it('are the same for the exchanges of a snapshot, which has no lengths', async ({ serve }) => {
    const served = await serve()
    await served.send(list)
    await served.mock.lobbies(30)
    for (const sent of [list, { ...list, headers: bearer('x') }, { ...list, method: 'HEAD' }]) await served.send(sent)
    await answerOf(served, 2050)
    const before = await journal(served)
    const snapshot = served.mock.snapshot({ with: ['journal'] })

    await served.mock.restore(snapshot)

    const withoutIds = (entries: readonly object[]) => entries.map(entry => ({ ...entry, id: 0 }))
    expect(before.filter(entry => 'answer_bytes' in entry)).toHaveLength(2)
    expect(withoutIds(await journal(served))).toEqual(withoutIds(before))
    expect(withoutIds(served.mock.snapshot({ with: ['journal'] }).journal ?? [])).toStrictEqual(
      withoutIds(snapshot.journal ?? []),
    )
    expect(JSON.stringify(snapshot)).not.toContain('answer_bytes')
  })

  it('are not part of the scenario format', async ({ serve }) => {
    const { mock, send, steer } = await serve()
    await send(list)
    const snapshot = mock.snapshot({ with: ['journal'] })
    const journal = snapshot.journal?.map(entry => ({ ...entry, answer_bytes: 3000 }))

    const refused = await steer('PUT', '/__mock/snapshot', { ...snapshot, journal })

    expect(failure(refused)).toBe('400 API_BAD_BODY')
    expect(refused.body).toContain('journal[0].answer_bytes is an unknown key')
  })

  it('are never read', () => {
    // Reading it throws.
    const exchange = recorded({ length: 3000 } as Uint8Array<ArrayBuffer>)

    expect(exchange.entry('short')).toMatchObject({ status: 200, answer_bytes: 3000 })
    expect(() => exchange.entry()).toThrow()
  })

  it.for(['/__mock/journal', '/__mock/changes'])('are the only choice of %s', async (path, { serve }) => {
    const { steer } = await serve()

    const answer = await steer('GET', `${path}?answers=long`)

    expect(failure(answer)).toBe('400 API_BAD_QUERY')
    expect(json(answer)).toMatchObject({ message: 'query.answers is "long": expected "short"' })
  })
})
