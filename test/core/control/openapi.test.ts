import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import type { OpenApiOperation } from '../../../src/core/contract/openapi.js'
import { controlCalls } from '../../../src/core/control/api.js'
import { controlOpenapi } from '../../../src/server/http/control-openapi.js'
import { references } from '../../support/openapi.js'
import { type ServedMock, it as served } from '../../support/served-mock.js'
import { showServers } from '../../support/shown-servers.js'
import { bearer, ids, tokens } from '../../support/tanks.js'

const document = controlOpenapi({ version: '1.2.3', serverUrl: 'http://127.0.0.1:4100' })

const operations: readonly (readonly [route: string, OpenApiOperation])[] = Object.entries(document.paths).flatMap(
  ([path, item]) =>
    Object.entries(item).map(
      ([method, operation]) => [`${method.toUpperCase()} ${path.slice('/__mock'.length) || '/'}`, operation] as const,
    ),
)
const routes = operations.map(([route]) => route)

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
ajv.addSchema({ $id: 'http://mock/', components: document.components })

/** Lists the parts of a value that a schema of the document does not allow. */
function problems(schema: object, value: unknown): readonly object[] {
  const inDocument = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"http://mock/#/'))
  ajv.validate(inDocument, value)
  return ajv.errors ?? []
}

function schemasOf(route: string) {
  const [, operation] = operations.find(([documented]) => documented === route) ?? []
  return {
    body: operation?.requestBody?.content['application/json']?.schema,
    answer: operation?.responses['200']?.content?.['application/json']?.schema,
  }
}

describe('the OpenAPI document of the control API', () => {
  it('is a valid OpenAPI 3.1 document', async () => {
    expect(await new Validator().validate(JSON.parse(JSON.stringify(document)))).toEqual({ valid: true })
  })

  it('has each call of the table, and no others', () => {
    expect([...routes].sort()).toEqual(
      controlCalls()
        .map(({ route }) => route)
        .sort(),
    )
  })

  it('gives each call an id of its own', () => {
    const names = operations.map(([, { operationId }]) => operationId)

    expect(new Set(names).size).toBe(names.length)
    expect(names).toEqual(expect.arrayContaining(['getCalls', 'postFaults', 'deleteFaultsByFaultId']))
  })

  it('has no broken references, and no schema that nothing refers to', () => {
    const named = Object.keys(document.components.schemas).map(name => `#/components/schemas/${name}`)

    expect([...new Set(references(document))].sort()).toEqual(named.sort())
  })

  it('describes the fields of bodies, queries and answers', () => {
    expect(JSON.stringify(document.paths['/__mock/history'])).toContain('Only those that changed a row of this table')
    expect(JSON.stringify(document.paths['/__mock/faults'])).toContain('95 of 100 delays are shorter.')
    expect(document.components.schemas.ClockJson?.properties?.now).toEqual({
      description: 'In ISO 8601.',
      type: 'string',
    })
  })

  it('has numbers and booleans in queries, and the mark of a created world', () => {
    const history = document.paths['/__mock/history']?.get?.parameters
    const schemas = Object.fromEntries((history ?? []).map(({ name, schema }) => [name, schema]))

    expect(schemas).toMatchObject({ since: { type: 'integer', minimum: 0 }, rows: { type: 'boolean' } })
    expect(JSON.stringify(schemasOf('PUT /clock').answer)).toContain('"created"')
    expect(JSON.stringify(schemasOf('POST /journal/verify').answer)).not.toContain('"created"')
  })

  served('is served with the version, and with the URL of its world', async ({ serve }) => {
    const { client, url, send } = await serve()
    await client.worlds.put('test-42', {})

    const { body } = await send({ method: 'GET', path: '/w/test-42/__mock/openapi.json' })

    expect(JSON.parse(body)).toMatchObject({
      openapi: '3.1.0',
      info: { version: expect.stringMatching(/^\d/) },
      servers: [{ url: `${url}/w/test-42` }],
    })
  })
})

/** The ids that a test needs. */
interface Known {
  readonly fault_id: string
  readonly request_id: number | string
  readonly exchange_id: number
}

/** A call with an example of its input. */
type Example = readonly [route: string, path: string | ((known: Known) => string), body?: object]

const examples: readonly Example[] = [
  ['GET /', ''],
  ['GET /openapi.json', '/openapi.json'],
  ['GET /health', '/health'],
  ['GET /worlds', '/worlds'],
  ['GET /replicas', '/replicas'],
  ['GET /worlds/{world_id}', '/worlds/default'],
  ['PUT /worlds/{world_id}', '/worlds/copy', { fork: 'default' }],
  ['PUT /worlds/{world_id}', '/worlds/party', { scenario: 'party', seed: 3 }],
  ['DELETE /worlds/{world_id}', '/worlds/other'],
  ['GET /world', '/world'],
  ['GET /status', '/status'],
  ['POST /reset', '/reset', { keep: ['faults'] }],
  ['GET /snapshot', '/snapshot?with=faults,journal'],
  [
    'PUT /snapshot',
    '/snapshot',
    { revision: 5, seed: 3, game_modes: ['duel'], lobbies: [{ game_mode_id: 'duel', total_player_count: 1 }] },
  ],
  ['GET /history', '/history'],
  ['GET /history', '/history?rows=false'],
  ['GET /rows', '/rows'],
  ['GET /scenarios', '/scenarios'],
  ['PUT /scenario', '/scenario', { name: 'party' }],
  ['PUT /scenario', '/scenario', { scenario: { game_modes: ['race'] } }],
  ['GET /clock', '/clock'],
  ['PUT /clock', '/clock', { mode: 'running', rate: 2 }],
  ['POST /clock/advance', '/clock/advance', { by: '40s' }],
  ['GET /schedule', '/schedule?limit=3'],
  ['GET /faults', '/faults'],
  ['POST /faults', '/faults', { operation: 'lobbies.*', effect: { delay: { median: '1s', p95: '3s' } }, times: 2 }],
  ['POST /faults', '/faults', { match: { query: { a: 'b' } }, effect: { error: { status: 503, retry_after: 3 } } }],
  ['PUT /faults/{fault_id}', ({ fault_id }) => `/faults/${fault_id}`, { effect: { reset: true } }],
  ['DELETE /faults', '/faults'],
  ['DELETE /faults/{fault_id}', ({ fault_id }) => `/faults/${fault_id}`],
  ['POST /faults/{fault_id}/release', ({ fault_id }) => `/faults/${fault_id}/release`, {}],
  ['GET /held/{request_id}', ({ request_id }) => `/held/${request_id}`],
  ['POST /held/{request_id}/check', ({ request_id }) => `/held/${request_id}/check`, { status: 200, body: {} }],
  ['POST /held/{request_id}/release', ({ request_id }) => `/held/${request_id}/release`, { answer: { status: 201 } }],
  ['GET /journal', '/journal'],
  ['GET /journal', '/journal?operation=lobbies.*&status=200&since=0&answers=short'],
  ['GET /journal/{exchange_id}', ({ exchange_id }) => `/journal/${exchange_id}`],
  ['GET /journal/{exchange_id}/request', ({ exchange_id }) => `/journal/${exchange_id}/request`],
  ['POST /journal/verify', '/journal/verify', { operation: 'lobbies.join', count: { min: 2 } }],
  ['DELETE /journal', '/journal'],
  ['GET /stories', '/stories'],
  ['GET /stories/{player}', `/stories/${tokens.connected}`],
  ['GET /warnings', '/warnings'],
  ['GET /explain', `/explain?lobby_id=closed`],
  ['GET /explain', '/explain?find=duel'],
  ['GET /lobbies/{lobby_id}/env', `/lobbies/${ids.lobby}/env`],
  ['GET /lobbies/{lobby_id}/served', `/lobbies/arena/served`],
  ['GET /servers', '/servers'],
  ['GET /servers/{lobby_id}', '/servers/arena'],
  ['POST /servers/{lobby_id}/restart', '/servers/arena/restart', {}],
  ['POST /servers/{lobby_id}/kill', '/servers/arena/kill', {}],
  ['PUT /client', '/client', { location: { latitude: 52.52, longitude: 13.4 } }],
  ['PUT /client', '/client', { location: null }],
  ['GET /simulation', '/simulation'],
  ['PUT /simulation', '/simulation', { concurrent: 20, session: '10m' }],
  ['DELETE /simulation', '/simulation'],
  ['POST /device-links/{token}/complete', `/device-links/${tokens.pending}/complete`, { game: 'tanks' }],
  ['POST /device-links/{token}/expire', `/device-links/${tokens.pending}/expire`, {}],
  ['POST /new/lobbies', '/new/lobbies', { lobbies: [{ game_mode_id: 'ffa', players: 2 }, {}] }],
  ['POST /new/player', '/new/player', { lobby_id: 'empty' }],
  ['GET /{table}', '/players?status=connected'],
  ['GET /{table}/{id}', `/lobbies/${ids.lobby}`],
  ['POST /{table}', '/game-modes', { game_mode_id: 'race' }],
  ['PATCH /{table}/{id}', `/lobbies/${ids.lobby}`, { is_closed: true }],
  ['DELETE /{table}/{id}', `/lobbies/empty`],
]

/** Prepares a world in which each call has something to say. */
async function prepare({ mock, client, send }: ServedMock): Promise<Known> {
  showServers(mock, [{ lobby_id: 'arena', last_lines: [{ at: '2026-11-20T20:00:00.000Z', text: 'up' }] }])
  await client.worlds.put('other', {})
  await client.simulate({ concurrent: 5 })
  const find = { method: 'POST', path: '/matchmaker/lobbies/find', headers: bearer(tokens.public) }
  await send({ ...find, body: JSON.stringify({ game_modes: ['duel'] }) })
  await mock.clock.advance('10s')
  const { id: fault_id } = await client.faults.add({ operation: 'regions.list', effect: { hold: true } })
  const held = send({ method: 'GET', path: '/matchmaker/regions', headers: bearer(tokens.public) })
  held.catch(() => {})
  await expect.poll(() => mock.journal.pending()[0]?.id).toBeDefined()
  return { fault_id, request_id: mock.journal.pending()[0]?.id ?? 0, exchange_id: mock.journal.find()[0]?.id ?? 0 }
}

describe('the examples', () => {
  it('are of all calls that answer with JSON', () => {
    const withJson = controlCalls().filter(({ route }) => schemasOf(route).answer)

    expect([...new Set(examples.map(([route]) => route))]).toEqual(withJson.map(({ route }) => route))
  })

  it('are of all calls but a page, and three that answer with a stream alone', () => {
    expect(routes.filter(route => !schemasOf(route).answer)).toEqual([
      'GET /capsule',
      'POST /journal/next',
      'POST /journal/blocked',
      'GET /changes',
    ])
  })
})

/** Sends an example, and lists the parts of its body and its answer that the document does not allow. */
async function problemsOf([route, pathOf, body]: Example, { send }: ServedMock, known: Known): Promise<unknown> {
  const [path = '', query] = `/__mock${typeof pathOf === 'string' ? pathOf : pathOf(known)}`.split('?')
  const [method = ''] = route.split(' ')
  const headers = { accept: 'application/json', 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
  const sent = { method, path, headers, ...(query === undefined ? {} : { query }) }
  const answer = await send(body ? { ...sent, body: JSON.stringify(body) } : sent)
  expect([route, answer.status, answer.status === 200 ? '' : answer.body]).toEqual([route, 200, ''])
  const schemas = schemasOf(route)
  return [
    ...problems(schemas.answer ?? { not: {} }, JSON.parse(answer.body)),
    ...(schemas.body ? problems(schemas.body, body) : []),
  ]
}

served('each call that reads answers as the document says', async ({ serve }) => {
  const mock = await serve()
  const known = await prepare(mock)

  for (const example of examples.filter(([route]) => route.startsWith('GET '))) {
    expect([example, await problemsOf(example, mock, known)]).toEqual([example, []])
  }
})

describe.for(examples.filter(([route]) => !route.startsWith('GET ')))('%s', example => {
  served('answers as the document says', async ({ serve }) => {
    const mock = await serve()

    expect(await problemsOf(example, mock, await prepare(mock))).toEqual([])
  })
})

describe('the schemas of the document', () => {
  it('refuse an answer without a field, which shows that the tests above can fail', () => {
    expect(problems(schemasOf('GET /clock').answer ?? {}, { mode: 'frozen', rate: 1 })).toHaveLength(1)
  })

  it('refuse a body with an unknown field', () => {
    expect(problems(schemasOf('POST /faults').body ?? {}, { effect: { hold: true }, tiems: 2 })).toHaveLength(1)
  })
})

served('each other media type is that of the answer', async ({ serve }) => {
  const { send, url } = await serve()
  const declared = controlCalls().flatMap(({ method, path, media }) =>
    method === 'GET' && media ? [{ path, media }] : [],
  )

  for (const { path, media } of declared) {
    const controller = new AbortController()
    const response = await fetch(`${url}/__mock${path.replace('{lobby_id}', ids.lobby)}`, {
      headers: { accept: media },
      signal: controller.signal,
    })
    expect([path, response.headers.get('content-type')?.split(';')[0]]).toEqual([path, media])
    controller.abort()
  }
  expect(declared).toHaveLength(5)
  expect((await send({ method: 'GET', path: '/__mock/snapshot' })).headers['content-type']).toBe('application/json')
})
