import { isServiceCode, mostFaults } from '../../core/contract/faults.js'
import { isIdentifier } from '../../core/contract/formats.js'
import type { Join, Lobby } from '../../core/contract/lobbies.js'
import type { OperationSpec } from '../../core/contract/operation.js'
import { type OperationId, operations } from '../../core/contract/operations.js'
import { Region, type RegionSummary } from '../../core/contract/regions.js'
import { nestsWithin, sameJson } from '../../core/lib/json.js'
import { formatInstant } from '../../core/lib/time.js'
import { localRegion } from '../../core/operations/regions.js'
import { givenKeys } from '../../core/scenario/entry-keys.js'
import { LobbyEntry } from '../../core/scenario/matchmaker-entries.js'
import type { ScenarioInput } from '../../core/scenario/schema.js'
import { catalogueRegion } from '../../core/store/matchmaker-rows.js'
import { codeOf, type HarRecording, type HarRequest } from './read.js'
import {
  answerOf,
  type ModeInput,
  type NamespaceInput,
  type RecordedGame,
  RecordedGames,
  type RecordedNamespace,
  tokenOf,
  type Writable,
} from './recorded-games.js'
import { Redaction } from './redact.js'

type RegionInput = Exclude<NonNullable<ScenarioInput['regions']>[number], string>
type LinkInput = NonNullable<ScenarioInput['device_links']>[number]
type FaultInput = NonNullable<ScenarioInput['faults']>[number]
type ServerPortsInput = NonNullable<ScenarioInput['development']>
type PortInput = NonNullable<ServerPortsInput['lobby_ports']>[number]

/** A scenario from a recording. */
export interface ImportedScenario {
  readonly scenario: ScenarioInput
  readonly used: ReadonlySet<HarRequest>
  /** The entries whose successful answers do not fit the contract. Of a list, the scenario has what fits. */
  readonly misfits: readonly number[]
  /** The texts that stand for the tokens and the secrets of the recording. */
  readonly redaction: Redaction
}

/** Recorded errors whose reason is in no answer, and what the world would answer instead: `200`. */
export type UnexplainedErrors = ReadonlyMap<HarRequest, string>

/**
 * Makes a scenario from recorded answers: the world as it was at the first request. It has only what the schemas of the
 * operations name, and a placeholder for a field of a list that is missing or wrong. Tokens are replaced, and a text with a secret of the recording in it.
 * Each unexplained error becomes a fault at its place.
 */
export function scenarioOf(recording: HarRecording, unexplained: UnexplainedErrors = new Map()): ImportedScenario {
  return new Import(recording, unexplained).run()
}

/** Tells whether only a fault can repeat an answer. The mock gives all others by itself. */
export function needsFault({ status, answer, isFaulted }: HarRequest): boolean {
  const code = codeOf(answer)
  return (
    (isFaulted && status >= 400) ||
    status === 429 ||
    status >= 500 ||
    (status >= 400 && (code === undefined || !isServiceCode(code) || onlyByFault.includes(code)))
  )
}

/** Codes that only faults answer. */
const onlyByFault: readonly string[] = [
  'MATCHMAKER_LOBBY_CLOSED',
  'CAPTCHA_CAPTCHA_REQUIRED',
  'CLAIMS_ENTITLEMENT_EXPIRED',
  'TOKEN_ERROR',
]

interface Counts {
  answered: number
  /** The errors that a fault repeats. */
  failed: number
  last?: { readonly fault: { times: number } & FaultInput; readonly error: object; readonly after: number }
}

/** The id of a game mode that no answer names. */
const unnamedMode = 'default'

class Import {
  readonly #redaction: Redaction
  readonly #games: RecordedGames
  readonly #regions = new Map<string, Writable<RegionInput>>()
  /** By the recorded token. `undefined`: the recording itself made the link. */
  readonly #links = new Map<string, Writable<LinkInput> | undefined>()
  /** The tokens that are in the scenario already. */
  readonly #placed = new Set<string>()
  readonly #faults: FaultInput[] = []
  readonly #counts = new Map<OperationId, Counts>()
  readonly #used = new Set<HarRequest>()
  /** The recorded game modes of lobbies, by their recorded ids. */
  readonly #modesOfLobbies = new Map<string, string>()
  /** The lobbies that were asked for with limits of their own, by their recorded ids. */
  readonly #ownLimits: ReadonlySet<string>
  readonly #beganAt: number | undefined
  /** The lobbies of recorded finds and creates, by their recorded ids. */
  readonly #made: ReadonlySet<string>
  #client: ScenarioInput['client']

  constructor(
    private readonly recording: HarRecording,
    private readonly unexplained: UnexplainedErrors,
  ) {
    this.#redaction = new Redaction(recording)
    this.#games = new RecordedGames(this.#redaction)
    const { exchanges } = recording
    this.#ownLimits = new Set(exchanges.filter(({ body }) => Object(body).max_players).flatMap(seatedLobby))
    this.#made = new Set(exchanges.filter(({ operation }) => operation !== 'lobbies.join').flatMap(seatedLobby))
    this.#beganAt = recording.exchanges.find(({ sentAt }) => sentAt !== undefined)?.sentAt
  }

  run(): ImportedScenario {
    const { exchanges } = this.recording
    for (const exchange of exchanges) this.#note(this.#games.take(exchange), exchange)
    for (const exchange of exchanges) this.#note(this.#take(exchange), exchange)
    // A request may name several game modes, and a later one may tell which of them its lobby has.
    for (const exchange of exchanges) this.#note(this.#takeJoin(exchange, 'known'), exchange)
    for (const exchange of exchanges) this.#note(this.#takeJoin(exchange, 'likely'), exchange)
    const misfits = exchanges.filter(isMisfit).map(({ entry }) => entry)
    return { scenario: this.#scenario(), used: this.#used, misfits, redaction: this.#redaction }
  }

  #note(isUsed: boolean, exchange: HarRequest): void {
    if (isUsed) this.#used.add(exchange)
  }

  #take(exchange: HarRequest): boolean {
    const parts = [
      this.#takeError(exchange),
      this.#takeRegions(exchange),
      this.#takeList(exchange),
      this.#takeStatistics(exchange),
      this.#takeLink(exchange),
    ]
    return parts.includes(true)
  }

  /** Repeats an error of the service at the same place in the order of the requests. */
  #takeError(exchange: HarRequest): boolean {
    const { entry, operation, status, answer, answerHeaders } = exchange
    const counts = this.#counts.get(operation) ?? { answered: 0, failed: 0 }
    this.#counts.set(operation, counts)
    counts.answered += 1
    const instead = this.unexplained.get(exchange)
    const isFault = needsFault(exchange) || instead !== undefined
    if (!isFault || this.#faults.length >= mostFaults) return false
    const [code, seconds] = [codeOf(answer), answerHeaders['retry-after'] ?? '']
    const error = {
      status,
      ...(code !== undefined && this.#redaction.text(code) === code && { code }),
      ...(/^\d{1,6}$/.test(seconds) && { retry_after: Number(seconds) }),
    }
    // A fault does not count the requests that an earlier one answers.
    const after = counts.answered - 1 - counts.failed
    const { last } = counts
    counts.failed += 1
    if (last && last.after === after && sameJson(last.error, error)) last.fault.times += 1
    else {
      const message = instead && `entry ${entry} of the recording: this world would answer ${instead} instead`
      const named = { ...error, ...(message !== undefined && { message }) }
      const fault = { operation, ...(after > 0 && { after }), times: 1, effect: { error: named } }
      counts.last = { fault, error, after }
      this.#faults.push(fault)
    }
    return true
  }

  #takeRegions(exchange: HarRequest): boolean {
    const shown = answerOf(exchange, 'lobbies.list') ?? answerOf(exchange, 'regions.list')
    const added = (shown?.regions ?? []).map(region => this.#addRegion(region))
    if (shown && exchange.headers['x-coords'] === undefined) this.#client ??= placeOfNearest(exchange.answer)
    const summaries = answerOf(exchange, 'games.getGameById')?.game.available_regions ?? []
    for (const summary of summaries) this.#addSummary(summary)
    return added.includes(true)
  }

  #addRegion({ region_id, provider_display_name, region_display_name, datacenter_coord }: Region): boolean {
    const id = this.#redaction.id(region_id)
    const isKnown = id === undefined || this.#regions.get(id)?.datacenter_coord !== undefined
    // Each world answers a development token with that region.
    if (isKnown || region_id === localRegion.region_id) return false
    this.#regions.set(id, {
      ...this.#regions.get(id),
      region_id: id,
      provider_display_name: this.#redaction.text(provider_display_name),
      region_display_name: this.#redaction.text(region_display_name),
      datacenter_coord,
    })
    return true
  }

  #nameRegion(region: RegionInput): void {
    if (!this.#regions.has(region.region_id)) this.#regions.set(region.region_id, region)
  }

  #addSummary(summary: RegionSummary): void {
    const id = this.#redaction.id(summary.region_name_id)
    if (id === undefined) return
    const known = this.#regions.get(id) ?? {
      region_id: id,
      provider_display_name: this.#redaction.text(summary.provider_display_name),
      region_display_name: this.#redaction.text(summary.region_display_name),
    }
    this.#regions.set(id, { ...known, region_uuid: summary.region_id })
  }

  /** The first list says which lobbies there are. A later one adds their states, and limits of game modes. */
  #takeList(exchange: HarRequest): boolean {
    const list = answerOf(exchange, 'lobbies.list')
    if (!list) {
      // Note which token of a namespace it has, and its regions.
      const isOfNamespace = ['namespace', 'public'].includes(operations[exchange.operation].auth)
      const namespace = isOfNamespace ? this.#games.takeCall(exchange) : undefined
      const shown = answerOf(exchange, 'regions.list')?.regions
      if (namespace && shown && !isCanned(exchange, shown)) namespace.regions ??= this.#idsOf(shown)
      return false
    }
    const namespace = this.#games.takeCall(
      exchange,
      list.lobbies.map(({ lobby_id }) => lobby_id),
    )
    for (const { lobby_id, game_mode_id } of list.lobbies) this.#modesOfLobbies.set(lobby_id, game_mode_id)
    const isFirst = namespace.lobbies === undefined
    if (isFirst) for (const { game_mode_id } of list.game_modes) this.#modeOf(game_mode_id, namespace)
    if (isCanned(exchange, list.regions)) return this.#addLimits(list.lobbies, namespace) || isFirst
    namespace.regions ??= this.#idsOf(list.regions)
    namespace.lobbies ??= new Map()
    if (isFirst) for (const lobby of list.lobbies) this.#addLobby(lobby, namespace)
    const addsLimits = this.#addLimits(list.lobbies, namespace)
    const addsStates = !namespace.hasStates && exchange.query.get('include_state') === 'true'
    if (addsStates) this.#addStates(list.lobbies, namespace)
    return isFirst || addsLimits || addsStates
  }

  #idsOf(regions: readonly Region[]): string[] {
    return regions.flatMap(({ region_id }) => this.#redaction.id(region_id) ?? [])
  }

  /** Adds the limits of game modes from their lobbies. Leaves out lobbies that were asked for with limits of their own. */
  #addLimits(lobbies: readonly Lobby[], { modes }: RecordedNamespace): boolean {
    const added = lobbies.map(lobby => {
      const mode = modes.get(this.#redaction.id(lobby.game_mode_id) ?? '')
      if (!mode || mode.max_players !== undefined || this.#ownLimits.has(lobby.lobby_id)) return false
      mode.max_players = limitsOf(lobby)
      return true
    })
    return added.includes(true)
  }

  #addStates(lobbies: readonly Lobby[], namespace: RecordedNamespace): void {
    namespace.hasStates = true
    for (const lobby of lobbies) {
      const known = namespace.lobbies?.get(this.#redaction.id(lobby.lobby_id) ?? '')
      if (known) Object.assign(known, this.#stateOf(lobby))
    }
  }

  /** Statistics have all regions of each game mode. */
  #takeStatistics(exchange: HarRequest): boolean {
    const statistics = answerOf(exchange, 'players.getStatistics')
    if (!statistics) return false
    const namespace = this.#games.takeCall(exchange)
    const added = Object.entries(statistics.game_modes).map(([modeId, { regions }]) => {
      const id = this.#redaction.id(modeId) ?? ''
      const mode = namespace.lobbies ? namespace.modes.get(id) : this.#modeOf(modeId, namespace)
      if (!mode || mode.regions) return false
      mode.regions = Object.keys(regions).flatMap(region => this.#redaction.id(region) ?? [])
      for (const region_id of mode.regions) this.#nameRegion({ region_id })
      return true
    })
    return added.includes(true)
  }

  #addLobby(lobby: Lobby, namespace: RecordedNamespace): void {
    const lobby_id = this.#redaction.id(lobby.lobby_id)
    const region_id = this.#redaction.id(lobby.region_id)
    const mode = this.#modeOf(lobby.game_mode_id, namespace)
    if (lobby_id === undefined || region_id === undefined || !mode) return
    this.#nameRegion({ region_id })
    const max_players = limitsOf(lobby)
    mode.max_players ??= max_players
    const entry = {
      lobby_id,
      game_mode_id: mode.game_mode_id,
      region_id,
      total_player_count: lobby.total_player_count,
      ...(!sameJson(mode.max_players, max_players) && { max_players }),
    }
    const isTaken = this.#games.withLobby(lobby_id) !== undefined
    if (!isTaken && LobbyEntry.safeParse(entry).success) namespace.lobbies?.set(lobby_id, entry)
  }

  #stateOf({ state }: Lobby): { state?: Record<string, unknown> } {
    if (state === undefined || !nestsWithin(state)) return {}
    return { state: this.#redaction.json(state) as Record<string, unknown> } // it was an object
  }

  #modeOf(recordedId: string, { modes }: RecordedNamespace) {
    const game_mode_id = this.#redaction.id(recordedId)
    if (game_mode_id === undefined) return undefined
    const known = modes.get(game_mode_id)
    if (known) return known
    modes.set(game_mode_id, { game_mode_id })
    return modes.get(game_mode_id)
  }

  /** A seat shows the ports of a game mode, and a region. `likely`: of the first mode that the request names. */
  #takeJoin(exchange: HarRequest, certainty: 'known' | 'likely'): boolean {
    const join =
      answerOf(exchange, 'lobbies.find') ?? answerOf(exchange, 'lobbies.join') ?? answerOf(exchange, 'lobbies.create')
    if (!join) return false
    const namespace = this.#games.takeCall(exchange)
    const { region_id, display_name } = join.lobby.region
    const id = this.#redaction.id(region_id)
    if (id !== undefined && region_id !== localRegion.region_id)
      this.#nameRegion({ region_id: id, region_display_name: this.#redaction.text(display_name) })
    const lobby_ports = portsOf(join.ports)
    if (tokenOf(exchange)?.startsWith('dev_') && lobby_ports.length > 0) {
      const isNew = namespace.entry.development === undefined
      namespace.entry.development ??= { lobby_ports }
      return isNew
    }
    const { game_modes, game_mode } = Object(exchange.body) as { game_modes?: unknown; game_mode?: unknown }
    const [asked, ...others] = [game_modes ?? game_mode].flat()
    const { lobby_id } = join.lobby
    const modes = this.#modesOfLobbies
    const isTold = typeof asked === 'string' && (others.length === 0 || certainty === 'likely')
    if (isTold && !modes.has(lobby_id)) modes.set(lobby_id, asked)
    const modeId = modes.get(lobby_id) ?? (certainty === 'likely' ? likelyMode(namespace, id) : undefined)
    // A development token gets a seat in any game mode, also in one that the list does not have.
    const isNew = namespace.lobbies === undefined && modeId !== undefined
    const mode = isNew ? this.#modeOf(modeId, namespace) : namespace.modes.get(this.#redaction.id(modeId ?? '') ?? '')
    if (!mode) return false
    if (exchange.operation === 'lobbies.join' && certainty === 'likely') this.#addJoined(join.lobby, mode, namespace)
    const hasNone = Object.keys(join.ports).length === 0
    const known = mode.ports?.lobby_ports ?? []
    const added = lobby_ports.filter(({ label }) => !known.some(port => port.label === label))
    if (added.length > 0) mode.ports = { lobby_ports: [...known, ...added] }
    else if (hasNone && !mode.ports) mode.ports = {}
    else return false
    return true
  }

  /** Adds a lobby from before the recording that no list has: a closed or a private one, which a player joined all the same. */
  #addJoined(lobby: Join['lobby'], { game_mode_id }: ModeInput, namespace: RecordedNamespace): void {
    const [lobby_id, region_id] = [lobby.lobby_id, lobby.region.region_id].map(id => this.#redaction.id(id))
    const isMade = this.#made.has(lobby.lobby_id) || this.#games.withLobby(lobby_id ?? '') !== undefined
    if (lobby_id === undefined || region_id === undefined || isMade) return
    namespace.lobbies ??= new Map()
    namespace.lobbies.set(lobby_id, { lobby_id, game_mode_id, region_id, publicity: 'private' })
  }

  #takeLink(exchange: HarRequest): boolean {
    const made = answerOf(exchange, 'devices.links.prepare')?.device_link_token
    if (made !== undefined) this.#links.set(made, undefined)
    // It was made before the recording.
    for (const completed of completedLink(exchange))
      if (!this.#links.has(completed)) return this.#addLink(completed, {})
    const link = answerOf(exchange, 'devices.links.get')
    const recorded = exchange.query.get('device_link_token')
    if (!link || recorded === null) return false
    if (!this.#links.has(recorded)) return this.#addLink(recorded, link)
    const known = this.#links.get(recorded)
    if (!known || known.status === 'complete' || link.cloud_token === undefined || known.completes_after !== undefined)
      return false
    known.completes_after = `${Math.max(0, (exchange.answeredAt ?? 0) - (this.#beganAt ?? 0))}ms`
    return true
  }

  #addLink(recorded: string, { cloud_token }: { readonly cloud_token?: string | undefined }): boolean {
    const token = this.#redaction.token(recorded, 'device')
    if (cloud_token === undefined) this.#links.set(recorded, { token, status: 'pending' })
    else {
      const ofCloud = this.#redaction.token(cloud_token, 'cloud')
      this.#links.set(recorded, { token, status: 'complete', cloud_token: ofCloud })
    }
    return true
  }

  #scenario(): ScenarioInput {
    const regions = [...this.#regions.values()].map(region => shortest(region))
    // A client may have sent the token of a link or of a game as one of a namespace.
    const namespaces = new Map(
      this.#games.all.map(game => [game, game.namespaces.map(one => this.#namespaceInput(one))]),
    )
    const links = this.#linkInputs()
    const games = this.#games.all.map(game => this.#gameInput(game, namespaces.get(game) ?? []))
    return {
      title: 'Recorded session',
      ...(this.#beganAt !== undefined && { now: formatInstant(this.#beganAt) }),
      ...(this.#client && { client: this.#client }),
      ...(regions.length > 0 && { regions }),
      ...(games.length > 0 && { games }),
      ...(links.length > 0 && { device_links: links }),
      ...(this.#faults.length > 0 && { faults: this.#faults }),
    }
  }

  #linkInputs(): LinkInput[] {
    const [first] = this.#games.all
    // With several games, a link has to name one.
    const game = this.#games.all.length > 1 ? first?.entry.name_id : undefined
    return [...this.#links.values()].flatMap(link => {
      if (!link) return []
      const [token, cloud_token] = [this.#unused(link.token), this.#unused(link.cloud_token)]
      return [givenKeys({ ...link, token, cloud_token, game })]
    })
  }

  #gameInput({ entry, cloudToken }: RecordedGame, namespaces: readonly NamespaceInput[]) {
    const cloud = this.#unused(cloudToken)
    return {
      ...entry,
      ...(cloud !== undefined && { tokens: { cloud } }),
      ...(namespaces.length > 0 && { namespaces }),
    }
  }

  #namespaceInput({ entry, tokens, modes, lobbies, regions = [] }: RecordedNamespace): NamespaceInput {
    const all = [...(lobbies?.values() ?? [])]
    const everywhere = new Set([...regions, ...all.flatMap(({ region_id }) => region_id ?? [])])
    const ofModes = new Map<string | undefined, Set<string>>()
    for (const { game_mode_id, region_id } of all)
      if (region_id !== undefined) ofModes.set(game_mode_id, (ofModes.get(game_mode_id) ?? new Set()).add(region_id))
    const regionsOf = ({ regions: shown, ...mode }: Writable<ModeInput>) => {
      const enabled = shown ? new Set([...shown, ...(ofModes.get(mode.game_mode_id) ?? [])]) : everywhere
      // By default a game mode enables all regions of the scenario.
      return { ...mode, ...(enabled.size > 0 && enabled.size < this.#regions.size && { regions: [...enabled] }) }
    }
    // The regions of a namespace are those of its game modes, and no answer has named one.
    const unnamed = modes.size === 0 && lobbies === undefined && regions.length > 0
    const shown = unnamed ? [{ game_mode_id: unnamedMode }] : [...modes.values()]
    const given = givenKeys({ public: this.#unused(tokens.public), development: this.#unused(tokens.development) })
    return {
      ...entry,
      ...(Object.keys(given).length > 0 && { tokens: given }),
      ...(shown.length > 0 && { game_modes: shown.map(regionsOf) }),
      ...(lobbies !== undefined && lobbies.size > 0 && { lobbies: [...lobbies.values()] }),
    }
  }

  /** Returns a token at its first place in the scenario. A world has each token once. */
  #unused(token: string | undefined): string | undefined {
    if (token === undefined || this.#placed.has(token)) return undefined
    this.#placed.add(token)
    return token
  }
}

function shortest(region: RegionInput): RegionInput | string {
  const known = catalogueRegion(region.region_id)
  return known && sameJson({ ...known, ...region }, known) ? region.region_id : region
}

function isMisfit({ operation, status, answer }: HarRequest): boolean {
  const { output }: OperationSpec = operations[operation]
  return status < 300 && output?.safeParse(answer).success === false
}

/** Guesses where a client is: at its nearest region. `undefined` if the answer tells no distance. */
function placeOfNearest(answer: unknown): ScenarioInput['client'] {
  const { regions: shown = [] } = Object(answer) as { readonly regions?: readonly unknown[] } // `answerOf` has read it
  const regions = (Array.isArray(shown) ? shown : []).flatMap(region => Region().safeParse(region).data ?? [])
  const kilometersTo = (region: Region) => region.datacenter_distance_from_client.kilometers
  const nearest = regions.toSorted((a, b) => kilometersTo(a) - kilometersTo(b))[0]
  // All distances are 0 if the service does not know the place.
  return nearest && regions.some(region => kilometersTo(region) > 0) ? nearest.datacenter_coord : undefined
}

function isCanned(exchange: HarRequest, regions: readonly Region[]): boolean {
  return (
    tokenOf(exchange)?.startsWith('dev_') === true &&
    regions.every(({ region_id }) => region_id === localRegion.region_id)
  )
}

function likelyMode({ modes }: RecordedNamespace, region: string | undefined): string | undefined {
  if (modes.size === 0) return unnamedMode
  const fits = ({ regions }: ModeInput) => regions === undefined || regions.includes(region ?? '')
  return [...modes.values()].find(fits)?.game_mode_id
}

function limitsOf({ max_players_normal: normal, max_players_direct: direct, max_players_party: party }: Lobby) {
  return normal === direct && direct === party ? normal : { normal, direct, party }
}

function seatedLobby({ answer }: HarRequest): string[] {
  const { lobby_id } = Object(Object(answer).lobby) as { lobby_id?: unknown }
  return typeof lobby_id === 'string' ? [lobby_id] : []
}

/** Returns the token of the link that a request completes, or nothing. */
export function completedLink({ operation, status, body }: HarRequest): string[] {
  if (operation !== 'devices.links.complete' || status >= 300) return []
  const { device_link_token } = Object(body) as { device_link_token?: unknown }
  return typeof device_link_token === 'string' ? [device_link_token] : []
}

function portsOf(ports: Join['ports']): NonNullable<ServerPortsInput['lobby_ports']> {
  return Object.entries(ports).flatMap(([label, { port, port_range, is_tls }]): PortInput[] => {
    if (!isIdentifier(label)) return []
    if (port_range) return [{ label, port_range, proxy_protocol: 'udp' as const }]
    return port === undefined
      ? []
      : [{ label, target_port: port, proxy_protocol: is_tls ? ('https' as const) : ('http' as const) }]
  })
}
