import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, inject, it } from 'vitest'
import {
  type OpenApiParameter,
  type OpenApiSchema,
  type OperationId,
  openapi,
  operationIds,
} from '../../../src/core/contract/index.js'
import { createMockmaker } from '../../../src/index.js'
import { request } from '../../../src/testing/arbitraries/index.js'
import { jsonOf } from '../../../src/testing/arbitraries/json-values.js'
import { reservedPlayer } from '../../support/example-calls.js'
import { ask, type TestRequest, type TestResponse } from '../../support/http.js'
import { documented, spec } from '../../support/openapi.js'
import { bearer, ids, tanks, tokens } from '../../support/tanks.js'

const { schemas } = openapi().components

const runs = { numRuns: Math.min(20, Math.ceil(inject('runs') / 10)) }

const known = [
  'lnd-fra',
  ...['lnd-syd', 'duel', 'ffa', 'secret', 'walled', 'prod', 'beta', 'arena', 'empty', 'closed', 'stopped'],
  ...['tanks.example', 'beta.example', 'TANKS.EXAMPLE', '127.0.0.1', '__proto__', 'constructor', ''],
  ...Object.values(ids),
  ...Object.values(tokens),
  reservedPlayer,
]

/** Each kind of token, and no token. */
const bearers = {
  none: undefined,
  public: tokens.public,
  development: tokens.development,
  cloud: tokens.cloud,
  'cloud of another game': tokens.cloudBoats,
  device: tokens.pending,
  expired: tokens.expired,
  lobby: tokens.arena,
  player: tokens.connected,
  unknown: 'nobody',
}
/** Returns a token with which a call gets as far as the check of its body. */
function bearerFor(id: OperationId): string {
  const { auth } = spec(id)
  if (auth === 'lobby') return tokens.arena
  return auth === 'namespace' || auth === 'public' ? tokens.public : tokens.cloud
}

const anyBearer = fc.constantFrom(...Object.values(bearers))

/** Validates against schemas of the document. It ignores formats: patterns and bounds say the same. */
const ajv = new Ajv2020({ strict: false, validateFormats: false })
ajv.addSchema({ $id: 'document', components: openapi().components })

function validatorOf(schema: OpenApiSchema): (value: unknown) => boolean {
  const text = JSON.stringify(schema).replaceAll('#/components/', 'document#/components/')
  return ajv.compile(JSON.parse(text)) as (value: unknown) => boolean
}

function bodySchema(id: OperationId): OpenApiSchema | undefined {
  return documented(id).requestBody?.content['application/json'].schema
}

/**
 * Removes the limits that have error codes of their own. They are never `API_BAD_BODY`, and a development token is
 * answered before they are checked (PROTOCOL.md B2).
 */
function withoutLimits(schema: OpenApiSchema): OpenApiSchema {
  const limits = ['minItems', 'maxItems', 'maxProperties', 'propertyNames', 'minLength', 'maxLength']
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    if (limits.includes(key)) return undefined
    if (key === 'minimum' && value === 1) return 0
    if (value?.type !== 'string' || value.format === 'uuid') return value
    const { pattern, ...free } = value
    return free
  })
}

/** Removes halves of surrogate pairs. A URL has none. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '')
}

function parameterValue({ schema, in: place, example }: OpenApiParameter): fc.Arbitrary<string> {
  const texts = valueFitting(schema, [String(example), ...known]).map(String)
  // A path segment is not empty, and a header has only visible characters.
  if (place === 'path')
    return fc.oneof(fc.constantFrom(...known), texts).filter(text => text !== '' && !/^\.+$/.test(text))
  return texts.map(text => wellFormed(text))
}

type Parameters = Readonly<Record<string, string>>

function parametersOf(id: OperationId): fc.Arbitrary<Parameters> {
  const { parameters = [] } = documented(id)
  const values = Object.fromEntries(parameters.map(one => [one.name, parameterValue(one)]))
  const requiredKeys = parameters.filter(({ required }) => required).map(({ name }) => name)
  return fc.record(values, { requiredKeys, noNullPrototype: true }) as fc.Arbitrary<Parameters>
}

/** Makes a request with these parameters. */
function sent(
  id: OperationId,
  values: Parameters,
  { token, body }: { token: string | undefined; body?: TestRequest['body'] },
) {
  const { method, path } = spec(id)
  const { parameters = [] } = documented(id)
  const inPlace = (place: string) =>
    parameters.filter(({ name, in: at }) => at === place && values[name] !== undefined).map(({ name }) => name)
  const encode = (text: string) => encodeURIComponent(wellFormed(text))
  return {
    method,
    path: inPlace('path').reduce((filled, name) => filled.replace(`{${name}}`, () => encode(values[name] ?? '')), path),
    query: inPlace('query')
      .map(name => `${name}=${encode(values[name] ?? '')}`)
      .join('&'),
    headers: {
      ...(token === undefined ? {} : bearer(token)),
      ...Object.fromEntries(inPlace('header').map(name => [name, values[name] ?? ''])),
    },
    ...(body === undefined ? {} : { body }),
  } satisfies TestRequest
}

/** Sends a request to a new mock of tanks, and checks the answer against the document. */
async function answer(id: OperationId, request: TestRequest): Promise<TestResponse> {
  const mock = createMockmaker({ scenario: tanks })
  await mock.world.players.create({ lobby_id: 'arena', player_token: reservedPlayer, status: 'reserved' })
  const got = await ask(mock, request)
  await mock.close()
  expectDocumented(id, got)
  return got
}

const answerValidators = new Map<string, (value: unknown) => boolean>()

function expectDocumented(id: OperationId, { status, body }: TestResponse): void {
  const response = documented(id).responses[status]
  expect(response, `${id} answers ${status}, which is not in the document: ${body}`).toBeDefined()
  const schema = response?.content?.['application/json'].schema
  if (!schema) {
    expect(body).toBe('')
    return
  }
  const name = `${id} ${status}`
  const fits = answerValidators.get(name) ?? validatorOf(schema)
  answerValidators.set(name, fits)
  expect(fits(JSON.parse(body)), `${id} answers what does not fit the document: ${body}`).toBe(true)
}

function codeOf({ status, body }: TestResponse): string | undefined {
  return status === 200 ? undefined : (JSON.parse(body) as { code: string }).code
}

const bad = ['API_BAD_BODY', 'API_BAD_QUERY', 'API_BAD_HEADERS']

/** Generates JSON for a schema of the document. Some values do not fit. */
const valueFitting = (schema: OpenApiSchema, texts: readonly string[]) =>
  jsonOf(schema, { schemas, texts, hasUnknownFields: true })

/** Copies a value with one part replaced or removed. */
function changed(value: unknown, steps: readonly number[], replacement: unknown): unknown {
  const keys = typeof value === 'object' && value !== null ? Object.keys(value) : []
  const [step, ...others] = steps
  if (step === undefined || keys.length === 0) return replacement
  const key = keys[step % keys.length] ?? ''
  const copy: unknown[] | Record<string, unknown> = Array.isArray(value) ? [...value] : { ...(value as object) }
  const inner = changed((copy as Record<string, unknown>)[key], others, replacement)
  if (inner === undefined && !Array.isArray(copy)) delete copy[key]
  else Object.defineProperty(copy, key, { value: inner ?? null, configurable: true, enumerable: true, writable: true })
  return copy
}

const replacement = fc.oneof(
  fc.constantFrom(undefined, null, [], {}, '', 'x'.repeat(600), -1, 1.5, 4_294_967_296, true),
  fc.array(fc.string(), { minLength: 17, maxLength: 20 }),
  fc.dictionary(fc.string({ minLength: 1, maxLength: 4 }), fc.string(), {
    minKeys: 17,
    maxKeys: 20,
    noNullPrototype: true,
  }),
  fc.jsonValue({ maxDepth: 2 }),
)

describe.each(operationIds)('%s', id => {
  const isAllowed = validatorOf(bodySchema(id) ?? {})

  it('accepts requests of the document, and answers as documented', async () => {
    await fc.assert(
      fc.asyncProperty(request(id, { texts: known }), anyBearer, async (generated, token) => {
        const [path = '', query] = generated.url.split('?')
        const headers = { ...generated.headers, ...(token === undefined ? {} : bearer(token)) }
        const asked = { ...generated, path, headers, ...(query === undefined ? {} : { query }) }
        expect(bad).not.toContain(codeOf(await answer(id, asked)))
        if (generated.body !== undefined) expect(isAllowed(JSON.parse(generated.body)), generated.body).toBe(true)
      }),
      runs,
    )
  })

  it('answers as the document says to any bytes', async () => {
    const bytes = fc.oneof(
      fc.uint8Array(),
      fc.json().map(text => new TextEncoder().encode(text)),
      fc.constant(undefined),
    )
    const query = fc.string({ unit: 'binary-ascii' })
    await fc.assert(
      fc.asyncProperty(parametersOf(id), bytes, query, anyBearer, async (values, body, query, token) => {
        await answer(id, { ...sent(id, values, { token, body }), query })
      }),
      runs,
    )
  })
})

describe.each(operationIds.filter(id => spec(id).body))('the body of %s', id => {
  const schema = bodySchema(id) ?? {}
  const isAllowed = validatorOf(schema)
  const hasShape = validatorOf(withoutLimits(schema))

  const wrong = fc
    .tuple(valueFitting(schema, known).filter(isAllowed), fc.array(fc.nat(20), { maxLength: 3 }), replacement)
    .map(([body, steps, value]) => changed(body, steps, value))
    .filter(body => body !== undefined && !isAllowed(JSON.parse(JSON.stringify(body))))

  const oftenRight = fc.oneof(fc.constant(bearerFor(id)), anyBearer)

  it('is refused if the document forbids it, with every token', async () => {
    await fc.assert(
      fc.asyncProperty(parametersOf(id), wrong, oftenRight, async (values, body, token) => {
        const got = await answer(id, sent(id, values, { token, body: JSON.stringify(body) }))

        const isLimit = hasShape(body)
        if (isLimit && token === tokens.development) return
        expect(got.status, `${JSON.stringify(body)} is accepted`).not.toBe(200)
        if (got.status === 400) expect(codeOf(got) === 'API_BAD_BODY' && isLimit).toBe(false)
      }),
      { numRuns: 4 * runs.numRuns },
    )
  })

  it('is API_BAD_BODY if its shape does not fit the document', async () => {
    const token = bearerFor(id)
    const place = { game_id: ids.tanks, namespace_id: ids.prod }
    await fc.assert(
      fc.asyncProperty(wrong, async body => {
        fc.pre(!hasShape(body))
        expect(codeOf(await answer(id, sent(id, place, { token, body: JSON.stringify(body) })))).toBe('API_BAD_BODY')
      }),
      runs,
    )
  })
})

const withParameters = operationIds.flatMap(id =>
  (documented(id).parameters ?? []).map(parameter => ({ id, parameter, name: parameter.name })),
)

/** A parameter that may be any text, such as a token, is never refused for its form. */
const isAnyText = ({ schema }: OpenApiParameter) => schema.pattern === undefined && validatorOf(schema)('')

describe.each(withParameters.filter(({ parameter }) => parameter.in !== 'path' && !isAnyText(parameter)))(
  '$name of $id',
  ({ id, parameter }) => {
    const isAllowed = validatorOf(parameter.schema)
    const code = parameter.in === 'query' ? 'API_BAD_QUERY' : 'API_BAD_HEADERS'
    const place = { game_id: ids.tanks, device_link_token: tokens.complete }
    const token = spec(id).auth === 'cloud' ? tokens.cloud : undefined
    const unit = parameter.in === 'query' ? 'grapheme' : 'grapheme-ascii'

    it('is refused if the document forbids it', async () => {
      const wrong = fc
        .oneof(fc.string({ unit }), fc.constantFrom('-1', '1,', 'TRUE', ' '))
        .filter(text => !isAllowed(text))
      await fc.assert(
        fc.asyncProperty(wrong, async text => {
          expect(codeOf(await answer(id, sent(id, { ...place, [parameter.name]: text }, { token })))).toBe(code)
        }),
        runs,
      )
    })
  },
)

describe('an example of the document', () => {
  it.each(withParameters)('fits $name of $id', ({ parameter }) => {
    expect(validatorOf(parameter.schema)(parameter.example)).toBe(true)
  })

  it.each(operationIds.filter(id => bodySchema(id)))('fits the body of %s, and is accepted', async id => {
    const { example } = documented(id).requestBody?.content['application/json'] ?? {}
    const token = bearerFor(id)
    const place = { game_id: ids.tanks, namespace_id: ids.prod }

    const got = await answer(id, sent(id, place, { token, body: JSON.stringify(example) }))

    expect(example).toBeDefined()
    expect(validatorOf(bodySchema(id) ?? {})(example)).toBe(true)
    expect(bad).not.toContain(codeOf(got))
  })
})
