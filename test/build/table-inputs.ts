import * as z from 'zod'
import * as entries from '../../src/core/scenario/entries.js'
import * as matchmakerEntries from '../../src/core/scenario/matchmaker-entries.js'
import * as matchmakerRows from '../../src/core/store/matchmaker-rows.js'
import * as rows from '../../src/core/store/rows.js'
import { type Declaration, interfaceText } from './type-declarations.js'
import { commentText, type Member, membersOf, type NameOf, union } from './type-text.js'

/** An input of `create`: the columns of a row, and the keys of its entry in a scenario. */
interface TableInput {
  readonly row: z.ZodType
  readonly entry: z.ZodType
  readonly required?: readonly string[]
  readonly omit?: readonly string[]
  /** The types of keys that have not the type of the entry. */
  readonly types?: Readonly<Record<string, string>>
  /** The comments of keys that mean more than in the entry. */
  readonly docs?: Readonly<Record<string, string>>
  readonly doc: string
}

const tableInputs: Readonly<Record<string, TableInput>> = {
  RegionInput: {
    doc: 'A new region: its columns.',
    row: matchmakerRows.RegionRow,
    entry: matchmakerEntries.RegionEntry.options[1],
    required: ['region_id'],
  },
  GameModeInput: {
    doc: 'A new game mode: its columns, and keys of a scenario.',
    row: matchmakerRows.GameModeRow,
    entry: matchmakerEntries.GameModeEntry.options[1],
    required: ['game_mode_id'],
  },
  PlayerInput: {
    doc: 'A new player: its columns, and keys of a scenario.',
    row: matchmakerRows.PlayerRow,
    entry: matchmakerEntries.PlayerEntry,
    required: ['lobby_id'],
  },
  LobbyInput: {
    doc: 'A new lobby: its columns, and keys of a scenario.',
    row: matchmakerRows.LobbyRow,
    entry: matchmakerEntries.LobbyEntry,
    types: { players: "number | readonly Omit<PlayerInput, 'lobby_id'>[]" },
    docs: { players: 'The number of its connected players, or the fields of each player. Default: none.' },
  },
  SimulationInput: {
    doc: 'New simulated players: their columns, and keys of a scenario.',
    row: matchmakerRows.SimulationRow,
    entry: entries.SimulationEntry,
    types: { session: 'string | number' },
  },
  NamespaceInput: {
    doc: 'A new namespace: its columns, and keys of a scenario.',
    row: rows.NamespaceRow,
    entry: entries.NamespaceEntry,
    required: ['name_id'],
    omit: ['generate'],
    types: {
      game_modes: "readonly (string | Omit<GameModeInput, 'namespace_id'>)[]",
      lobbies: "readonly Omit<LobbyInput, 'namespace_id'>[]",
      players: "Omit<SimulationInput, 'namespace_id'>",
    },
  },
  GameInput: {
    doc: 'A new game: its columns, and keys of a scenario.',
    row: rows.GameRow,
    entry: entries.GameEntry,
    required: ['name_id'],
    types: {
      namespaces:
        "readonly (Omit<NamespaceInput, 'game_id' | 'name_id'> & { readonly name_id?: string | undefined })[]",
    },
  },
  DeviceLinkInput: {
    doc: 'A new device link: its columns, and keys of a scenario.',
    row: rows.DeviceLinkRow,
    entry: entries.DeviceLinkEntry,
    types: {
      completes: '{ readonly at: number; readonly game_id: string }',
      completes_at: 'string | number',
      completes_after: 'string | number',
      expires_after: 'string | number',
    },
  },
}

/** Declares the inputs of `create`, for each table. */
export function inputTypes(nameOf: NameOf): Declaration[] {
  const ofTables = Object.entries(tableInputs).map(([name, input]) => ({
    name,
    text: () => interfaceText(name, input.doc, inputMembers(input, nameOf), 'readonly '),
  }))
  return [...ofTables, ...tokenInputs(nameOf)]
}

function inputMembers(
  { row, entry, required = [], omit = [], types = {}, docs = {} }: TableInput,
  nameOf: NameOf,
): Member[] {
  const rowShapes = (row instanceof z.ZodDiscriminatedUnion ? row.options : [row]).map(
    one => (one as z.ZodObject).shape,
  )
  const { shape } = entry as z.ZodObject
  const columns: z.core.$ZodShape = Object.assign({}, ...rowShapes)
  // A column with another form in scenarios, such as `ports`, has that form here too.
  const either = membersOf({ ...columns, ...pickKeys(shape, Object.keys(columns)) }, { side: 'either', nameOf })
  const added = membersOf(shape, { side: 'input', nameOf }).filter(({ key }) => !(key in columns))
  return [...either, ...added]
    .filter(({ key }) => !omit.includes(key))
    .map(({ key, type, doc }) => {
      const known = (types[key] ?? type).replace(/ \| undefined$/, '')
      const isOptional = !required.includes(key)
      return { key, type: isOptional ? union([known, 'undefined']) : known, isOptional, doc: docs[key] ?? doc }
    })
}

function pickKeys(shape: z.core.$ZodShape, keys: readonly string[]): z.core.$ZodShape {
  return Object.fromEntries(Object.entries(shape).filter(([key]) => keys.includes(key)))
}

/** The inputs of tokens: each kind with its owner, by id or by name. */
function tokenInputs(nameOf: NameOf): Declaration[] {
  const kinds = { DevelopmentToken: 'namespace', PublicToken: 'namespace', CloudToken: 'game' } as const
  const owners = {
    NamespaceOwner: '{ readonly namespace_id: string } | { readonly namespace: string }',
    GameOwner: '{ readonly game_id: string } | { readonly game: string }',
  }
  const ownerDocs = {
    NamespaceOwner: 'A namespace: its id, or `<game name_id>/<namespace name_id>`.',
    GameOwner: 'A game: its id, or its `name_id`.',
  }
  const columns = Object.keys(kinds).map((kind, i): Declaration => {
    const option = rows.TokenRow.options[i] as z.ZodObject
    const members = membersOf(option.shape, { side: 'either', nameOf }).filter(({ key }) => !key.endsWith('_id'))
    const optional = members.map(member =>
      member.key === 'token' ? { ...member, isOptional: true, type: 'string | undefined' } : member,
    )
    return {
      name: `${kind}Columns`,
      text: () =>
        interfaceText(`${kind}Columns`, `The columns of a new token, besides its owner.`, optional, 'readonly '),
    }
  })
  return [
    ...columns,
    ...Object.entries(owners).map(([name, type]) => ({
      name,
      text: () => `${commentText(ownerDocs[name as keyof typeof ownerDocs])}export type ${name} = ${type}`,
    })),
    {
      name: 'TokenInput',
      text: () =>
        `${commentText('A new token: its columns, and its owner by id or by name.')}export type TokenInput = ${Object.entries(
          kinds,
        )
          .map(([kind, owner]) => `(${kind}Columns & ${owner === 'game' ? 'GameOwner' : 'NamespaceOwner'})`)
          .join(' | ')}`,
    },
  ]
}
