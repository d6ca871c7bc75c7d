import fc from 'fast-check'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { operationIds, operations } from '../../src/core/contract/operations.js'
import { commandEntryPoint, localEntryPoints, type OpenMock } from '../support/entry-points.js'
import { comparable, type TestRequest } from '../support/http.js'
import { randomRead, randomWriteCall } from '../support/random-request.js'
import { ids, tanks, tokens } from '../support/tanks.js'

/** Generates mostly the given values, and sometimes any value. */
const mostly = (...values: readonly string[]) =>
  fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...values) }, { weight: 1, arbitrary: visible })

/** Characters that need no encoding in a header, a path or a query. */
const visible = fc.string({ unit: fc.constantFrom(...'abcXYZ019-_.~'), minLength: 1, maxLength: 20 })

const token = mostly(...Object.values(tokens))
const origin = mostly(
  'http://localhost:3000',
  'https://tanks.example',
  'https://evil.example',
  'https://boats.mock.localhost',
  'null',
)

const headers = fc.record(
  {
    authorization: fc.oneof(
      token.map(text => `Bearer ${text}`),
      fc.constantFrom('Basic x', 'Bearer  two', 'Bearer'),
    ),
    origin,
    'x-coords': mostly('52.52,13.40', ' 1 , 2 ', '91,0', '1', '1,2,3'),
    'content-type': mostly('application/json', 'text/plain', 'application/octet-stream'),
    'access-control-request-headers': mostly('authorization, content-type'),
  },
  { requiredKeys: [] },
)

const query = fc
  .array(
    fc.oneof(
      mostly('true', 'false', 'TRUE', '').map(value => `include_state=${value}`),
      token.map(value => `device_link_token=${value}`),
      mostly('0', '1', '-1', '99999999999999999999', '9999999999999999999').map(value => `watch_index=${value}`),
      visible.map(name => `${name}=1`),
    ),
    { maxLength: 4 },
  )
  .map(parameters => parameters.join('&'))

const name = fc.oneof(mostly('prod', 'beta', '', 'a--b', 'Production'), fc.string({ unit: 'binary', maxLength: 130 }))
const uint = fc.oneof(fc.constantFrom<unknown>(0, 1, 4_294_967_295, 4_294_967_296, -1, 1.5, '1', null), fc.nat())
const port = fc.record(
  {
    label: name,
    target_port: fc.oneof(uint, fc.constant(80)),
    port_range: fc.oneof(fc.record({ min: uint, max: uint }), fc.constantFrom<unknown>(null, [], {})),
    proxy_protocol: mostly('http', 'https', 'tcp', 'tcp_tls', 'udp'),
  },
  { requiredKeys: [] },
)

const fields = fc.record(
  {
    display_name: fc.oneof<fc.Arbitrary<unknown>[]>(name, fc.nat()),
    name_id: fc.oneof<fc.Arbitrary<unknown>[]>(name, fc.constant(null)),
    hostname: name,
    lobby_ports: fc.array(port, { maxLength: 18 }),
    lobby_count_max: uint,
    max_players: uint,
    device_link_token: token,
    game_id: mostly(...Object.values(ids)),
    version_id: mostly(ids.lobby, 'AAAAAAAA-BBBB-1CCC-8DDD-EEEEEEEEEEEE', 'v1'),
    ports: fc.dictionary(
      name,
      fc.record({ port: uint, port_range: fc.constant(null), protocol: mostly('udp', 'http') }),
    ),
    enabled: fc.oneof<fc.Arbitrary<unknown>[]>(fc.boolean(), fc.constant(1)),
    domain: mostly('beta.example', 'tanks.example', 'Tanks.Example', 'a..b'),
    constructor: fc.constant({}),
  },
  { requiredKeys: [] },
)

const body = fc.oneof<fc.Arbitrary<string | Uint8Array>[]>(
  fields.map(value => JSON.stringify(value)),
  fields.map(value => JSON.stringify(value).slice(0, -1)),
  fc.json(),
  fc.constantFrom('', '{}', '[]', '{"__proto__": {"name_id": "a"}}', `${'['.repeat(65)}${']'.repeat(65)}`),
  fc.uint8Array({ maxLength: 50 }),
)

/** Generates a valid or invalid request for an operation that every transport can send: no body with GET. */
const exchange: fc.Arbitrary<TestRequest> = fc
  .record({
    id: fc.constantFrom(...operationIds),
    game: mostly(...Object.values(ids), 'a%20b', '%', '%zz'),
    namespace: mostly(...Object.values(ids)),
    domain: mostly('tanks.example', 'TANKS%2eexample', '%', '%zz', '%00'),
    query,
    headers,
    body,
  })
  .map(({ id, game, namespace, domain, body, ...sent }) => {
    const { method, path } = operations[id]
    const filled = path.replace('{game_id}', game).replace('{namespace_id}', namespace).replace('{domain}', domain)
    return { ...sent, method, path: filled, ...(method === 'GET' ? {} : { body }) }
  })
  .filter(({ path }) => !path.split('/').some(segment => segment === '.' || segment === '..'))

/** Opens a mock behind every entry point. A test sends the same requests to all of them, so their worlds stay equal. */
async function openAll(): Promise<readonly OpenMock[]> {
  const command = await commandEntryPoint.open(tanks)
  const local = localEntryPoints.map(entryPoint => entryPoint.open(tanks, { publicUrl: command.url }))
  return [command, ...(await Promise.all(local))]
}

describe('the entry points', async () => {
  const opened = await openAll()
  afterAll(() => Promise.all(opened.map(one => one.close())))

  it('answer any request with the same status, headers and bytes', async () => {
    await fc.assert(
      fc.asyncProperty(exchange, async sent => {
        const [first, ...others] = await Promise.all(opened.map(async mock => comparable(await mock.send(sent))))

        for (const other of others) expect(other).toEqual(first)
      }),
      { numRuns: Math.min(1_500, 5 * inject('runs')) },
    )
  })

  it('answer a repeated request with the same bytes, before and after a write', async () => {
    const calls = fc.array(fc.oneof({ weight: 3, arbitrary: randomRead }, { weight: 1, arbitrary: randomWriteCall }), {
      minLength: 1,
      maxLength: 5,
    })
    await fc.assert(
      fc.asyncProperty(calls, async calls => {
        for (const sent of [...calls, ...calls]) {
          const [first, ...others] = await Promise.all(opened.map(async mock => comparable(await mock.send(sent))))

          for (const other of others) expect(other).toEqual(first)
        }
      }),
      { numRuns: Math.min(150, 2 * inject('runs')) },
    )
  })
})
