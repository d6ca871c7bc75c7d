import { isServiceCode, mostFaults } from '../../core/contract/faults.js'
import { isIdentifier } from '../../core/contract/formats.js'
import type { Join, Lobby } from '../../core/contract/lobbies.js'
import type { OperationSpec } from '../../core/contract/operation.js'
import { type OperationId, type OperationOutput, operations } from '../../core/contract/operations.js'
import { Region, type RegionSummary } from '../../core/contract/regions.js'
import { nestsWithin, sameJson } from '../../core/lib/json.js'
import { formatInstant } from '../../core/lib/time.js'
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
  /** The requests whose answers are in the scenario. */
  readonly used: ReadonlySet<HarRequest>
  /** The entries whose successful answers do not fit the contract. Of a list, the scenario has what fits. */
  readonly misfits: readonly number[]
  /** The texts that stand for the tokens and the secrets of the recording. */
  readonly redaction: Redaction
}

/**
 * Makes a scenario from recorded answers: the world as it was at the first request. It has only what the schemas of the
 * operations name, and a placeholder for a field of a list that is missing or wrong. Tokens are replaced, and a text with a secret of the recording in it.
 */
export function scenarioOf(recording: HarRecording): ImportedScenario {
  return new Import(recording).run()
}

/** Tells whether only a fault can repeat an answer. The mock gives all others by itself. */
function needsFault({ status, answer }: HarRequest): boolean {
  const code = codeOf(answer)
  return (
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

/** The recorded answers of an operation so far. */
interface Counts {
  answered: number
  /** The errors that a fault repeats. */
  failed: number
  last?: { readonly fault: { times: number } & FaultInput; readonly after: number }
}

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
  readonly #beganAt: number | undefined
  #client: ScenarioInput['client']

  constructor(private readonly recording: HarRecording) {
    this.#redaction = new Redaction(recording)
    this.#games = new RecordedGames(this.#redaction)
    this.#beganAt = recording.exchanges.find(({ sentAt }) => sentAt !== undefined)?.sentAt
  }

  run(): ImportedScenario {
    const { exchanges } = this.recording
    for (const exchange of exchanges) this.#note(this.#games.take(exchange), exchange)
    for (const exchange of exchanges) this.#note(this.#take(exchange), exchange)
    for (const exchange of exchanges) this.#note(this.#takeJoin(exchange), exchange)
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
    const { operation, status, answer, answerHeaders } = exchange
    const counts = this.#counts.get(operation) ?? { answered: 0, failed: 0 }
    this.#counts.set(operation, counts)
    counts.answered += 1
    if (!needsFault(exchange) || this.#faults.length >= mostFaults) return false
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
    if (last && last.after === after && sameJson(last.fault.effect.error, error)) last.fault.times += 1
    else {
      const fault = { operation, ...(after > 0 && { after }), times: 1, effect: { error } }
      counts.last = { fault, after }
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
    if (id === undefined || this.#regions.get(id)?.datacenter_coord) return false
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

  /** The first list says which lobbies there are. A later one with their states adds those. */
  #takeList(exchange: HarRequest): boolean {
    const list = answerOf(exchange, 'lobbies.list')
    if (!list) {
      // Note which token of a namespace it has.
      if (['namespace', 'public'].includes(operations[exchange.operation].auth)) this.#games.takeCall(exchange)
      return false
    }
    const namespace = this.#games.takeCall(
      exchange,
      list.lobbies.map(({ lobby_id }) => lobby_id),
    )
    const isFirst = namespace.lobbies === undefined
    namespace.regions ??= list.regions.flatMap(({ region_id }) => this.#redaction.id(region_id) ?? [])
    namespace.lobbies ??= new Map()
    if (isFirst) {
      for (const { game_mode_id } of list.game_modes) this.#modeOf(game_mode_id, namespace)
      for (const lobby of list.lobbies) this.#addLobby(lobby, namespace)
    }
    const addsStates = !namespace.hasStates && exchange.query.get('include_state') === 'true'
    if (addsStates) this.#addStates(list.lobbies, namespace)
    return isFirst || addsStates
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
    const { max_players_normal: normal, max_players_direct: direct, max_players_party: party } = lobby
    const max_players = normal === direct && direct === party ? normal : { normal, direct, party }
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

  /** A seat shows the ports of a game mode, and a region. */
  #takeJoin(exchange: HarRequest): boolean {
    const join =
      answerOf(exchange, 'lobbies.find') ?? answerOf(exchange, 'lobbies.join') ?? answerOf(exchange, 'lobbies.create')
    if (!join) return false
    const namespace = this.#games.takeCall(exchange)
    const { region_id, display_name } = join.lobby.region
    const id = this.#redaction.id(region_id)
    if (id !== undefined) this.#nameRegion({ region_id: id, region_display_name: this.#redaction.text(display_name) })
    const lobby_ports = portsOf(join.ports)
    if (tokenOf(exchange)?.startsWith('dev_') && lobby_ports.length > 0) {
      const isNew = namespace.entry.development === undefined
      namespace.entry.development ??= { lobby_ports }
      return isNew
    }
    const { game_modes, game_mode } = Object(exchange.body) as { game_modes?: unknown; game_mode?: unknown }
    const [asked] = [game_modes ?? game_mode].flat()
    const seated = this.#redaction.id(join.lobby.lobby_id)
    const ofLobby = namespace.lobbies?.get(seated ?? '')?.game_mode_id
    const modeId = ofLobby ?? (typeof asked === 'string' ? asked : undefined)
    // A development token gets a seat in any game mode, also in one that the list does not have.
    const isNew = namespace.lobbies === undefined && modeId !== undefined
    const mode = isNew ? this.#modeOf(modeId, namespace) : namespace.modes.get(this.#redaction.id(modeId ?? '') ?? '')
    if (!mode || mode.ports) return false
    const hasNone = Object.keys(join.ports).length === 0
    if (hasNone || lobby_ports.length > 0) mode.ports = hasNone ? {} : { lobby_ports }
    return mode.ports !== undefined
  }

  #takeLink(exchange: HarRequest): boolean {
    const made = answerOf(exchange, 'devices.links.prepare')?.device_link_token
    if (made !== undefined) this.#links.set(made, undefined)
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

  #addLink(recorded: string, { cloud_token }: OperationOutput<'devices.links.get'>): boolean {
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
    const given = givenKeys({ public: this.#unused(tokens.public), development: this.#unused(tokens.development) })
    return {
      ...entry,
      ...(Object.keys(given).length > 0 && { tokens: given }),
      ...(modes.size > 0 && { game_modes: [...modes.values()].map(regionsOf) }),
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

/** Returns only the id of a region that is as in the catalogue. */
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

/** The ports of a game server without its host. */
function portsOf(ports: Join['ports']): NonNullable<ServerPortsInput['lobby_ports']> {
  return Object.entries(ports).flatMap(([label, { port, port_range, is_tls }]): PortInput[] => {
    if (!isIdentifier(label)) return []
    if (port_range) return [{ label, port_range, proxy_protocol: 'udp' as const }]
    return port === undefined
      ? []
      : [{ label, target_port: port, proxy_protocol: is_tls ? ('https' as const) : ('http' as const) }]
  })
}
