import * as z from 'zod'
import { DisplayName, HostName, Identifier, Uint32 } from '../contract/formats.js'
import { warningTexts } from '../contract/warning-texts.js'
import { type WarningRule, warningRules } from '../contract/warnings.js'
import type * as types from '../generated/rows.js'
import { Time } from '../lib/time-schemas.js'
import { Id, Location, ServerPorts, Token } from './columns.js'
import {
  type GameModeRow,
  type LobbyRow,
  type PlayerRow,
  ReadyWithin,
  type RegionRow,
  Servers,
  type SimulationRow,
} from './matchmaker-rows.js'

// The schemas of rows, in the form of scenario files: `z.decode` turns an entry into a row, `z.encode` a row into an entry.
// Editors show the metadata, and the names of interfaces: they write out an alias. `schemasOf` derives the schema of a row in memory.

export const settingsDefaults = { cdn_domain: 'mock.localhost', hide_empty_lobbies: false, servers: 'auto' } as const

type RuleSwitches = { readonly [Name in WarningRule]: z.ZodOptional<z.ZodLiteral<'off'>> }

/** The settings of a world. The table has one row. */
export const SettingsRow = z.strictObject({
  settings_id: z.literal('settings'),
  client: Location.optional().describe('The place of the player. Default: unknown, and distances are 0.'),
  hide_empty_lobbies: z
    .boolean()
    .describe(
      'true: as in the real service, lists leave out empty lobbies, but not the only one of a game mode. Default: false.',
    ),
  servers: Servers,
  ready_within_ms: ReadyWithin,
  cdn_domain: HostName.describe('The pages of a game are at <game>.<cdn_domain>. Default: mock.localhost.'),
  warnings: z
    .strictObject(
      Object.fromEntries(
        warningRules.map(rule => [
          rule,
          z.literal('off').optional().describe(`off: no warning. Without it: ${warningTexts[rule]}`),
        ]),
      ) as RuleSwitches,
      // Users also try `off` alone, or a list of rules.
      {
        error: ({ code }) =>
          code === 'invalid_type' ? 'expected the rules to turn off, as in {hot loop: off}' : undefined,
      },
    )
    .optional()
    .meta({
      description: 'The rules of warnings to turn off. Default: none.',
      examples: [{ 'hot loop': 'off' }],
    }),
  default_namespace_id: Id.optional(),
  /** The address of the mock in links. It has no slash at its end. */
  public_url: z.string(),
})
export type SettingsRow = types.SettingsRow

/** The names of the game and of the namespace in a scenario without names. */
export const defaultNames = {
  game: { name_id: 'game', display_name: 'Game' },
  namespace: { name_id: 'prod', display_name: 'Production' },
} as const

const NameId = Identifier.meta({ description: 'Its name in paths, host names and other keys.', examples: ['tanks'] })
const ShownName = DisplayName.meta({ description: 'Its name for people. Default: the name_id.', examples: ['Tanks'] })
const CreatedAt = Time.describe('When it was created. Default: when the world begins.')

/** A game. */
export const GameRow = z.strictObject({
  game_id: Id.meta({
    description: 'Its id on the cloud side. Default: from the seed.',
    examples: ['11111111-1111-4111-8111-111111111111'],
  }),
  name_id: NameId,
  display_name: ShownName,
  created_at: CreatedAt,
  developer_group_id: Id.meta({
    description: 'The group of its developers. Default: from the seed.',
    examples: ['22222222-2222-4222-8222-222222222222'],
  }),
})
export type GameRow = types.GameRow

export const namespaceDefaults = { tokenless: true, domains: [] as string[] }

/** PROTOCOL.md B6. */
export const matchmakerDefaults = { lobby_count_max: 128, max_players: 8 } as const

/** A namespace of a game. */
export const NamespaceRow = z.strictObject({
  namespace_id: Id.meta({
    description: 'Its id on the cloud side. Default: from the seed.',
    examples: ['33333333-3333-4333-8333-333333333333'],
  }),
  game_id: Id,
  name_id: NameId,
  display_name: ShownName,
  created_at: CreatedAt,
  version_id: Id.meta({
    description: 'The version of the game that it runs. Default: from the seed.',
    examples: ['44444444-4444-4444-8444-444444444444'],
  }),
  tokenless: z.boolean().describe('true: clients need no token for lobbies and regions. Default: true.'),
  domains: z.array(HostName).meta({
    description: 'Host names of its pages. Default: none.',
    examples: [['tanks.example']],
  }),
  lobby_count_max: Uint32.meta({ description: 'The most lobbies at once. Default: 128.', examples: [1024] }),
  max_players: Uint32.optional().meta({
    description: 'The most players from one address. Default: 8, and loopback addresses are not counted.',
    examples: [matchmakerDefaults.max_players],
  }),
  development: ServerPorts.optional().describe(
    'The game server of its development tokens, and of game modes without ports.',
  ),
})
export type NamespaceRow = types.NamespaceRow

export const deviceLinkDefaults = { status: 'pending' } as const

export const DeviceLinkStatus = z
  .enum(['pending', 'complete'])
  .describe('complete: a person has completed it. Default: pending.')

const linkColumns = {
  device_link_token: Token.meta({
    description: 'The token with which the device watches the link. Default: from the seed.',
    examples: ['device.mock.sofa'],
  }),
  device_link_id: Id.meta({
    description: 'Its id. Default: from the seed.',
    examples: ['99999999-9999-4999-8999-999999999999'],
  }),
  expires_at: Time.optional().describe('When it expires. Default: never.'),
}
/** A device link: pending, or complete with the cloud token that the device gets (PROTOCOL.md B8). */
export const DeviceLinkRow = z.discriminatedUnion(
  'status',
  [
    z.strictObject({
      ...linkColumns,
      status: z.literal('pending'),
      /** The time at which the mock completes the link, and the game. */
      completes: z.object({ at: Time, game_id: Id }).optional(),
    }),
    z.strictObject({
      ...linkColumns,
      status: z.literal('complete'),
      game_id: Id,
      cloud_token: Token.describe('The cloud token that the device of a complete link gets. Default: from the seed.'),
    }),
  ],
  { error: 'expected pending or complete' },
)
export type DeviceLinkRow = types.DeviceLinkRow

/** Returns when the mock completes a link, in ms since the epoch. A link that expires first has no job (PROTOCOL.md B8). */
export function nextLinkJobAt(link: DeviceLinkRow): number | undefined {
  if (link.status !== 'pending' || !link.completes) return undefined
  const { at } = link.completes
  return link.expires_at !== undefined && link.expires_at <= at ? undefined : at
}

export const TokenKind = z
  .enum(['development', 'public', 'cloud'])
  .describe('development: mock responses. public: the clients of a namespace. cloud: the cloud side of a game.')

const tokenColumns = {
  token: Token.describe('The token.'),
  expires_at: Time.optional().describe('When it expires. Default: never.'),
}
/** A bearer token, of a namespace or of a game. */
export const TokenRow = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({
      ...tokenColumns,
      kind: z.literal('development'),
      namespace_id: Id,
      development: ServerPorts.optional().describe(
        "The game server of a development token. Default: its namespace's development.",
      ),
    }),
    z.strictObject({ ...tokenColumns, kind: z.literal('public'), namespace_id: Id }),
    z.strictObject({ ...tokenColumns, kind: z.literal('cloud'), game_id: Id }),
  ],
  { error: 'expected development, public or cloud' },
)
export type TokenRow = types.TokenRow

/** Derives the schemas of a model from the schema of a row in files. */
export function schemasOf<Schema extends z.ZodObject | z.ZodDiscriminatedUnion<readonly z.ZodObject[]>>(
  row: Schema,
): { readonly schema: z.ZodType<z.output<Schema>>; readonly columns: z.ZodRawShape } {
  const members = row instanceof z.ZodObject ? [row] : row.options
  return {
    schema: decodedSide(row) as z.ZodType<z.output<Schema>>, // it only replaces codecs
    columns: joinShapes(members.map(({ shape }) => shape)),
  }
}

/** Joins shapes. The result has the columns of each in their order, so that rows which are not parsed have it too. */
function joinShapes(shapes: readonly z.ZodRawShape[]): z.ZodRawShape {
  const names: string[] = []
  for (const shape of shapes) {
    let next = names.length
    for (const name of Object.keys(shape).reverse()) {
      const known = names.indexOf(name)
      if (known === -1) names.splice(next, 0, name)
      else next = known
    }
  }
  const all: z.ZodRawShape = Object.assign({}, ...shapes)
  return Object.fromEntries(names.map(name => [name, all[name] as z.ZodType])) // each is of a shape
}

/** Replaces codecs by what they decode to: a point in time by ms. Copies only schemas with a codec inside: copies cost time at load. */
function decodedSide(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodCodec) return schema.out
  if (schema instanceof z.ZodOptional) {
    const innerType = decodedSide(schema.def.innerType)
    return innerType === schema.def.innerType ? schema : withDef(schema, { innerType })
  }
  if (schema instanceof z.ZodUnion) {
    const options = schema.def.options.map(decodedSide)
    return options.every((option, i) => option === schema.def.options[i]) ? schema : withDef(schema, { options })
  }
  if (!(schema instanceof z.ZodObject)) return schema
  const columns = Object.entries(schema.shape).map(([key, column]) => [key, decodedSide(column)] as const)
  if (columns.every(([key, column]) => column === schema.shape[key])) return schema
  return withDef(schema, { shape: Object.fromEntries(columns) })
}

function withDef<Schema extends z.ZodType>(schema: Schema, parts: object): Schema {
  return schema.clone({ ...schema.def, ...parts })
}

/** The row of each table. */
export interface Rows {
  settings: SettingsRow
  games: GameRow
  regions: RegionRow
  namespaces: NamespaceRow
  gameModes: GameModeRow
  lobbies: LobbyRow
  players: PlayerRow
  simulations: SimulationRow
  deviceLinks: DeviceLinkRow
  tokens: TokenRow
}

/** The columns of a new row. Models fill in absent columns. */
export interface RowInputs {
  settings: SettingsRow
  games: Partial<GameRow> & Pick<GameRow, 'name_id'>
  regions: Partial<RegionRow> & Pick<RegionRow, 'region_id'>
  namespaces: Partial<NamespaceRow> & Pick<NamespaceRow, 'name_id'>
  gameModes: Partial<GameModeRow> & Pick<GameModeRow, 'game_mode_id'>
  lobbies: AnyOf<LobbyRow>
  players: AnyOf<PlayerRow> & Pick<PlayerRow, 'lobby_id'>
  simulations: Partial<SimulationRow>
  deviceLinks: Partial<DeviceLinkRow>
  tokens: TokenInput
}

/** The columns of all members of a union. */
export type AnyOf<Row> = { readonly [Column in Row extends unknown ? keyof Row : never]?: ColumnOf<Row, Column> }
type ColumnOf<Row, Column> = Row extends unknown ? (Column extends keyof Row ? Row[Column] : never) : never

/** A new token with its kind and its owner. */
export type TokenInput = TokenRow extends infer Row
  ? Row extends TokenRow
    ? Omit<Row, 'token'> & { token?: string }
    : never
  : never

/** The name of a table. */
export type TableName = types.TableName

/** The tables whose ids are tokens. No two rows in them have the same token (PROTOCOL.md B1). */
export const tokenTables = ['players', 'deviceLinks', 'tokens'] as const satisfies readonly TableName[]
