import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { operationIds } from '../../../src/core/contract/operations.js'
import { readScenario } from '../../../src/core/scenario/read.js'
import { scenarios } from '../../../src/core/scenario/shipped.js'
import { catalogue } from '../../../src/core/store/matchmaker-rows.js'
import { rowsOf, snapshotOf, worldOf } from '../../support/worlds.js'

/** The parts of a JSON Schema that these tests read. */
interface Schema {
  readonly $id?: string
  readonly type?: string
  readonly description?: string
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema | readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly defaultSnippets?: readonly { readonly label: string; readonly body: unknown }[]
}

const ajv = new Ajv({ strict: true, keywords: ['defaultSnippets'] })
const schema: Schema = JSON.parse(readFileSync('fixtures/scenario.schema.json', 'utf8'))
const properties = propertiesIn(schema, '')

/** All properties of the schema, nested ones too, by their paths. */
function propertiesIn(schema: Schema, path: string): { readonly path: string; readonly schema: Schema }[] {
  const { properties = {}, items = [], anyOf = [], additionalProperties } = schema
  const inner = [items, anyOf, typeof additionalProperties === 'object' ? additionalProperties : []].flat()
  return [
    ...Object.entries(properties).flatMap(([key, schema]) => {
      const at = path === '' ? key : `${path}.${key}`
      return [{ path: at, schema }, ...propertiesIn(schema, at)]
    }),
    ...inner.flatMap(schema => propertiesIn(schema as Schema, path)),
  ]
}

/** The snippets of the properties, with the first text of each place of the cursor. */
const snippets = properties.concat({ path: '', schema }).flatMap(({ path, schema }) => {
  const entries = [schema, ...[schema.items ?? []].flat()] as Schema[]
  return entries
    .flatMap(entry => [entry, ...(entry.anyOf ?? [])])
    .flatMap(entry =>
      (entry.defaultSnippets ?? []).map(({ label, body }) => [label, path, entry, filledIn(body)] as const),
    )
})

function filledIn(body: unknown): unknown {
  const text = JSON.stringify(body)
  return JSON.parse(text.replace(/"\^\$\{\d+:(\d+)\}"/g, '$1').replace(/\$\{\d+:([^}]*)\}/g, '$1'))
}

/** Returns the errors of a value, according to the schema. */
function problems(value: unknown, of: Schema = schema): unknown {
  return ajv.validate(of, JSON.parse(JSON.stringify(value))) ? [] : ajv.errors
}

describe('the JSON Schema of scenarios', () => {
  it('compiles in strict mode, and has an id', () => {
    expect(() => ajv.compile(schema)).not.toThrow()
    expect(schema.$id).toBe('urn:mockmaker:scenario')
  })

  it.each(Object.entries(scenarios))('accepts the shipped %s, and the snapshot of its world', (_, scenario) => {
    expect(problems(scenario)).toEqual([])
    expect(problems(snapshotOf(worldOf(scenario).state))).toEqual([])
  })

  it.each([
    { sed: 1 },
    { now: 'tonight' },
    { now: '2026-11-20' },
    { clock: 'stopped' },
    { lobbies: [{ id: 'a' }] },
    { lobbies: [{ total_player_count: 4_294_967_296 }] },
    { regions: [{}] },
    { faults: [{ effect: {} }] },
  ])('refuses %j', scenario => {
    expect(problems(scenario)).not.toEqual([])
  })

  it('describes every property in a sentence', () => {
    const bare = properties.filter(({ schema }) => !/^\S.*[.:]\s?|[.]$/.test(schema.description ?? ''))

    expect(bare.map(({ path }) => path)).toEqual([])
  })

  it('has a default, examples or choices for every value that a person writes', () => {
    const hasInner = ({ properties, items, anyOf }: Schema) => (properties ?? items ?? anyOf) !== undefined
    const isShown = (schema: Schema) =>
      ['default', 'examples', 'enum', 'const'].some(key => key in schema) || schema.type === 'boolean'
    // A snapshot contains these, not a person.
    const written = properties.filter(({ path }) => !path.startsWith('journal.') && path !== 'past')

    const bare = written.filter(({ schema }) => !hasInner(schema) && !isShown(schema))

    expect(bare.map(({ path }) => path)).toEqual([])
  })

  it('accepts its own defaults and examples', () => {
    const wrong = properties.filter(({ schema }) => {
      const values = [...('default' in schema ? [schema.default] : []), ...(schema.examples ?? [])]
      return values.some(value => (problems(value, schema) as unknown[]).length > 0)
    })

    expect(wrong.map(({ path }) => path)).toEqual([])
  })

  it.each(snippets)('offers a snippet, %s, for "%s", and accepts it', (_, path, entry, body) => {
    const given =
      entry === schema ? body : { [path]: properties.find(one => one.path === path)?.schema.items ? [body] : body }

    expect(problems(body, entry)).toEqual([])
    // The schema does not know all rules.
    if (!path.includes('.'))
      readScenario({ ...(path !== 'games' && { game_modes: ['duel'] }), ...(given as object) }, { commands: 'allowed' })
  })

  it('offers snippets for every kind of entry', () => {
    const paths = ['', 'servers', 'regions', 'games', 'games.namespaces', 'game_modes', 'lobbies', 'lobbies.players']

    expect(snippets.map(([, path]) => path)).toEqual(
      expect.arrayContaining([...paths, 'players', 'device_links', 'faults']),
    )
  })

  const regionIds = catalogue.map(({ region_id }) => region_id)

  it.each([
    ['lobbies.region_id', regionIds],
    ['games.namespaces.lobbies.region_id', regionIds],
    ['faults.operation', operationIds],
  ])('suggests values for %s, and accepts any other text', (path, values) => {
    const found = properties.find(one => one.path === path)?.schema

    expect(found?.anyOf).toEqual([{ enum: values }, { type: 'string' }])
    expect(problems(values[0], found)).toEqual([])
  })

  it('suggests regions in lists of them', () => {
    const lists = properties.filter(({ path }) => /(^|game_modes\.)regions$/.test(path)).map(({ schema }) => schema)

    expect(lists.length).toBeGreaterThan(2)
    expect(lists.map(list => JSON.stringify(list).includes(JSON.stringify({ enum: regionIds })))).not.toContain(false)
    expect(
      problems({ regions: ['lnd-fra', { region_id: 'moon' }], game_modes: [{ game_mode_id: 'a', regions: ['moon'] }] }),
    ).toEqual([])
  })

  it('has the same defaults as a scenario: writing them out changes nothing', () => {
    const defaultsOf = (path: string) =>
      Object.fromEntries(
        properties
          .filter(
            one => one.path.startsWith(path) && !one.path.slice(path.length).includes('.') && 'default' in one.schema,
          )
          .map(({ path: at, schema }) => [at.slice(path.length), schema.default]),
      )
    const { game_modes: _, lobbies: __, ...namespace } = defaultsOf('games.namespaces.')
    const written = (said: boolean) => ({
      ...(said ? { ...defaultsOf(''), ...namespace } : {}),
      regions: ['lnd-fra', { region_id: 'moon', ...(said ? defaultsOf('regions.') : {}) }],
      game_modes: [{ game_mode_id: 'duel', ...(said ? defaultsOf('game_modes.') : {}) }],
      matchmaker: said ? defaultsOf('matchmaker.') : {},
      development: { lobby_ports: [], ...(said ? defaultsOf('development.') : {}) },
      players: said ? defaultsOf('players.') : {},
      lobbies: [{ players: [said ? defaultsOf('lobbies.players.') : {}], ...(said ? defaultsOf('lobbies.') : {}) }],
      device_links: [said ? defaultsOf('device_links.') : {}],
    })
    const { display_name: ___, name_id: ____, games: _____, ...all } = written(true) as Record<string, unknown>
    // Without keys whose default is another key's value.
    const mode = (all.game_modes as object[])[0] as Record<string, unknown>
    // Rows have these only if they were written.
    for (const key of ['disabled', 'dynamic_max_players', 'taggable']) Reflect.deleteProperty(mode, key)

    expect(Object.keys(mode)).toContain('listable')
    expect(rowsOf(all)).toEqual(rowsOf(written(false)))
  })
})
