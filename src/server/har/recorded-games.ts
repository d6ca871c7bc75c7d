import { isDisplayName, isIdentifier } from '../../core/contract/formats.js'
import type { NamespaceSummary } from '../../core/contract/games.js'
import type { OperationSpec } from '../../core/contract/operation.js'
import { type OperationId, type OperationOutput, operations } from '../../core/contract/operations.js'
import { formatInstant } from '../../core/lib/time.js'
import type { ScenarioInput } from '../../core/scenario/schema.js'
import { defaultNames } from '../../core/store/rows.js'
import { namespaceLabel } from '../../core/store/tokens.js'
import { fitAnswer } from './fit-answer.js'
import type { HarRequest } from './read.js'
import type { Redaction } from './redact.js'

type GameInput = NonNullable<ScenarioInput['games']>[number]
export type NamespaceInput = NonNullable<GameInput['namespaces']>[number]
export type ModeInput = Exclude<NonNullable<NamespaceInput['game_modes']>[number], string>
type LobbyInput = NonNullable<NamespaceInput['lobbies']>[number]

/** A type whose fields can be set. */
export type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] }

/** A namespace, as far as a recording shows it. */
export interface RecordedNamespace {
  readonly entry: Writable<Omit<NamespaceInput, 'game_modes' | 'lobbies' | 'tokens'>>
  readonly tokens: { public?: string; development?: string }
  /** By id. */
  readonly modes: Map<string, Writable<ModeInput>>
  /** A list with the states of the lobbies was read. */
  hasStates?: boolean
  /** The ids of the regions in its first list. */
  regions?: readonly string[]
  /** By id, as the first list has them. `undefined` until then. */
  lobbies?: Map<string, Writable<LobbyInput>>
}

/** A game, as far as a recording shows it. */
export interface RecordedGame {
  readonly entry: Writable<Omit<GameInput, 'namespaces' | 'tokens'>>
  cloudToken?: string
  readonly namespaces: RecordedNamespace[]
}

/** The field of a list that has to be one, whatever else is wrong. */
const mainLists: { readonly [Id in OperationId]?: string } = { 'lobbies.list': 'lobbies', 'regions.list': 'regions' }

/** Returns the answer of an operation: see `fitAnswer`. `undefined` if it is of another one, an error, or of another form. */
export function answerOf<Id extends OperationId>(
  { operation, status, answer }: HarRequest,
  id: Id,
): OperationOutput<Id> | undefined {
  const { output }: OperationSpec = operations[id]
  if (operation !== id || status >= 300) return undefined
  const list = mainLists[id]
  const isList = list !== undefined && Array.isArray((Object(answer) as Record<string, unknown>)[list])
  return (isList ? output && fitAnswer(answer, output) : output?.safeParse(answer).data) as
    | OperationOutput<Id>
    | undefined
}

/** The operations that succeed for a game that does not exist. */
const ofAnyGame: readonly OperationId[] = [
  'games.namespaces.validateGameNamespace',
  'games.namespaces.validateGameNamespaceTokenDevelopment',
]

export function tokenOf({ headers }: Pick<HarRequest, 'headers'>): string | undefined {
  return /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
}

/** The games and namespaces of a recording, and their tokens. */
export class RecordedGames {
  readonly all: RecordedGame[] = []
  /** By the recorded token. */
  readonly #owners = new Map<string, RecordedNamespace>()
  /** By the recorded id. */
  readonly #games = new Map<string, RecordedGame>()
  readonly #namespaces = new Map<string, RecordedNamespace>()

  constructor(private readonly redaction: Redaction) {}

  /** Takes what the answer to a call of the cloud says. Returns `false` if it says nothing new. */
  take(exchange: HarRequest): boolean {
    const { game_id, namespace_id } = exchange.params
    const inspected = answerOf(exchange, 'auth.inspect')?.agent.game_cloud?.game_id
    const owner = game_id ?? inspected ?? completedGame(exchange)
    const isShown = exchange.status < 300 && !ofAnyGame.includes(exchange.operation)
    const game = owner !== undefined && isShown ? this.#gameOf(owner) : undefined
    if (!game) return false
    const isTokenNew = this.#takeCloudToken(exchange, game)
    if (namespace_id !== undefined) this.#namespaceOf(namespace_id, game)
    const whole = answerOf(exchange, 'games.getGameById')?.game
    if (whole) return this.#takeGame(whole, game)
    const namespace = answerOf(exchange, 'games.namespaces.getGameNamespaceById')?.namespace
    if (namespace) return this.#takeNamespace(namespace, game)
    const made = answerOf(exchange, 'games.namespaces.createGameNamespaceTokenPublic')
    const token = made ?? answerOf(exchange, 'games.namespaces.createGameNamespaceTokenDevelopment')
    if (token && namespace_id !== undefined) this.#owners.set(token.token, this.#namespaceOf(namespace_id, game))
    return inspected !== undefined || isTokenNew
  }

  /** Takes the token of a call, and returns its namespace. Without a token: the one with a lobby of the answer, or the first. */
  takeCall(exchange: HarRequest, lobbyIds: readonly string[] = []): RecordedNamespace {
    const token = tokenOf(exchange)
    if (token === undefined) {
      const [known] = lobbyIds.flatMap(id => this.withLobby(this.redaction.id(id) ?? '') ?? [])
      const namespace = known ?? this.#named(undefined)
      if (exchange.status < 300) namespace.entry.tokenless = true
      return namespace
    }
    // The call may have been refused because its token is one of another kind.
    if (this.redaction.tokens.has(token) && !this.#owners.has(token)) return this.#named(undefined)
    const [, prefix, label] = /^(pub|dev)_([0-9a-z_]{1,16})\./.exec(token) ?? []
    const namespace = this.#owners.get(token) ?? this.#named(label?.replaceAll('_', '-'))
    this.#owners.set(token, namespace)
    const kind = prefix === 'dev' ? 'development' : 'public'
    namespace.tokens[kind] ??= this.redaction.token(token, namespaceLabel(kind, namespace.entry.name_id ?? ''))
    this.redaction.alias(token, namespace.tokens[kind])
    return namespace
  }

  withLobby(lobby_id: string): RecordedNamespace | undefined {
    return this.all.flatMap(({ namespaces }) => namespaces).find(({ lobbies }) => lobbies?.has(lobby_id))
  }

  /** Returns `true` for the first token of a game. */
  #takeCloudToken(exchange: HarRequest, game: RecordedGame): boolean {
    const token = tokenOf(exchange)
    // Some calls of the cloud take the token of a namespace too.
    const isCloudToken = operations[exchange.operation].auth === 'cloud' || token?.startsWith('cloud.')
    if (token === undefined || !isCloudToken) return false
    const isNew = game.cloudToken === undefined
    game.cloudToken ??= this.redaction.token(token, 'cloud')
    this.redaction.alias(token, game.cloudToken)
    return isNew
  }

  #takeGame(whole: OperationOutput<'games.getGameById'>['game'], game: RecordedGame): boolean {
    const developer_group_id = this.redaction.id(whole.developer_group_id)
    Object.assign(
      game.entry,
      this.#names(
        whole,
        this.all.filter(one => one !== game),
      ),
      timeOf(whole.create_ts),
    )
    if (developer_group_id !== undefined) game.entry.developer_group_id = developer_group_id
    for (const summary of whole.namespaces) this.#takeNamespace(summary, game)
    return true
  }

  #takeNamespace(
    summary: NamespaceSummary & Partial<OperationOutput<'games.namespaces.getGameNamespaceById'>['namespace']>,
    game: RecordedGame,
  ): boolean {
    const namespace = this.#namespaceOf(summary.namespace_id, game)
    const others = game.namespaces.filter(one => one !== namespace)
    const version_id = this.redaction.id(summary.version_id)
    Object.assign(namespace.entry, this.#names(summary, others), timeOf(summary.create_ts))
    if (version_id !== undefined) namespace.entry.version_id = version_id
    const { config } = summary
    if (!config) return true
    const { lobby_count_max, max_players_per_client } = config.matchmaker
    namespace.entry.matchmaker = { lobby_count_max, max_players_per_client }
    namespace.entry.tokenless = config.cdn.enable_domain_public_auth
    return true
  }

  /** Names are unique among their siblings. */
  #names(
    { name_id, display_name }: { readonly name_id: string; readonly display_name: string },
    siblings: readonly { readonly entry: { readonly name_id?: string | undefined } }[],
  ): { name_id?: string; display_name?: string } {
    const [name, shown] = [this.redaction.text(name_id), this.redaction.text(display_name)]
    const isFree = isIdentifier(name) && !siblings.some(({ entry }) => entry.name_id === name)
    return { ...(isFree && { name_id: name }), ...(isDisplayName(shown) && { display_name: shown }) }
  }

  #gameOf(recordedId: string): RecordedGame {
    const known = this.#games.get(recordedId)
    if (known) return known
    const game = this.#addGame(this.redaction.id(recordedId))
    this.#games.set(recordedId, game)
    return game
  }

  #addGame(game_id: string | undefined): RecordedGame {
    const name_id = freeName(defaultNames.game.name_id, this.all)
    const game: RecordedGame = { entry: { name_id, ...(game_id !== undefined && { game_id }) }, namespaces: [] }
    this.all.push(game)
    return game
  }

  #namespaceOf(recordedId: string, game: RecordedGame): RecordedNamespace {
    const known = this.#namespaces.get(recordedId)
    if (known) return known
    const namespace_id = this.redaction.id(recordedId)
    const namespace = addNamespace(game, { ...(namespace_id !== undefined && { namespace_id }) })
    this.#namespaces.set(recordedId, namespace)
    return namespace
  }

  /** Finds the namespace that the label of a token names, or the first one. */
  #named(name: string | undefined): RecordedNamespace {
    const all = this.all.flatMap(({ namespaces }) => namespaces)
    const found = all.find(({ entry }) => entry.name_id === name) ?? (name === undefined ? all[0] : undefined)
    if (found) return found
    const [game = this.#addGame(undefined)] = this.all
    const isName = name !== undefined && isIdentifier(name) && this.redaction.text(name) === name
    return addNamespace(game, isName ? { name_id: name } : {})
  }
}

function completedGame({ operation, body }: HarRequest): string | undefined {
  if (operation !== 'devices.links.complete') return undefined
  const { game_id } = Object(body) as { game_id?: unknown }
  return typeof game_id === 'string' ? game_id : undefined
}

function addNamespace(game: RecordedGame, known: { name_id?: string; namespace_id?: string }): RecordedNamespace {
  const name_id = known.name_id ?? freeName(defaultNames.namespace.name_id, game.namespaces)
  const namespace: RecordedNamespace = { entry: { ...known, name_id }, tokens: {}, modes: new Map() }
  game.namespaces.push(namespace)
  return namespace
}

function freeName(
  name: string,
  siblings: readonly { readonly entry: { readonly name_id?: string | undefined } }[],
): string {
  const taken = new Set(siblings.map(({ entry }) => entry.name_id))
  for (let number = 2; ; number += 1) {
    if (!taken.has(name)) return name
    if (!taken.has(`${name}-${number}`)) return `${name}-${number}`
  }
}

function timeOf(text: string): { created_at?: string } {
  const ms = Date.parse(text)
  return Number.isNaN(ms) ? {} : { created_at: formatInstant(ms) }
}
