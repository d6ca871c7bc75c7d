/** A lobby of the model, with the fields that the rules mention. */
interface ModelLobby {
  readonly id: string
  readonly mode: ModeId
  readonly region: string
  /** Players that the scenario only counts. */
  readonly counted: number
  status: 'starting' | 'ready' | 'stopped'
  runBy: 'mock' | 'server'
  isClosed: boolean
  readonly isPublic: boolean
  readyBy: number | undefined
  stopsAt: number | undefined
  forgottenAt: number | undefined
}

interface ModelPlayer {
  readonly token: string
  readonly lobby: ModelLobby
  readonly address: string
  status: 'reserved' | 'connected' | 'expired' | 'removed'
  expiresAt: number | undefined
  connectsAt: number | undefined
  leavesAt: number | undefined
  removesAt: number | undefined
  /** The answer of its call, when there is one. The call waits until the lobby is ready. */
  answered: 'seat' | 'gone' | 'MATCHMAKER_LOBBY_STOPPED' | 'MATCHMAKER_PLAYER_REMOVED' | undefined
  forgottenAt: number | undefined
}

/** The game modes of the model: their maxima by find, and by id. */
export const modes = { duel: { normal: 2, direct: 2 }, ffa: { normal: 3, direct: 4 } } as const
export type ModeId = keyof typeof modes

/** The regions, in order. Each mode enables both. */
export const regionIds = ['lnd-fra', 'lnd-syd'] as const

/** The maximum of lobbies, and of players from one address. */
export const limits = { lobbies: 5, fromSource: 4 } as const

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** The result of a call: a seat in an existing lobby, in a new one, or a refusal. */
export type Outcome = { readonly seat: string | 'new' } | { readonly refused: string }

/** A simple model of the rules of lobbies and players (PROTOCOL.md C). */
export class MatchmakerModel {
  now = 0
  lobbies: ModelLobby[] = []
  players: ModelPlayer[] = []

  constructor(readonly servers: 'auto' | 'manual') {}

  /** Adds a lobby of the scenario. */
  list(
    id: string,
    { mode, region, counted }: { readonly mode: ModeId; readonly region: string; readonly counted: number },
  ) {
    this.#add({ id, mode, region, counted, isPublic: true, status: 'ready', stopsAt: undefined, readyBy: undefined })
  }

  find(asked: { readonly modes: readonly ModeId[]; readonly mayCreate: boolean; readonly address: string }): Outcome {
    if (asked.modes.length === 0) return { refused: 'MATCHMAKER_NO_GAME_MODE_PROVIDED' }
    if (this.#isCrowded(asked.address)) return { refused: 'MATCHMAKER_TOO_MANY_PLAYERS_FROM_SOURCE' }
    const places = asked.modes.flatMap(mode => regionIds.map(region => ({ mode, region })))
    const open = this.lobbies.filter(lobby => lobby.status !== 'stopped' && !lobby.isClosed && lobby.isPublic)
    const ranked = places
      .flatMap((place, order) =>
        open
          .filter(lobby => lobby.mode === place.mode && lobby.region === place.region)
          .map(lobby => ({ lobby, order, free: modes[lobby.mode].normal - this.seats(lobby) })),
      )
      .filter(({ free }) => free > 0)
      .sort((one, other) => one.free - other.free || one.order - other.order)
    if (ranked[0]) return { seat: ranked[0].lobby.id }
    if (!asked.mayCreate) return { refused: 'MATCHMAKER_NO_AVAILABLE_LOBBIES' }
    return this.#mayMake()
  }

  join(id: string, address: string): Outcome {
    const lobby = this.lobbies.find(one => one.id === id)
    if (!lobby) return { refused: 'MATCHMAKER_LOBBY_NOT_FOUND' }
    if (lobby.status === 'stopped') return { refused: 'MATCHMAKER_LOBBY_STOPPED' }
    if (this.seats(lobby) >= modes[lobby.mode].direct) return { refused: 'MATCHMAKER_LOBBY_FULL' }
    return this.#isCrowded(address) ? { refused: 'MATCHMAKER_TOO_MANY_PLAYERS_FROM_SOURCE' } : { seat: id }
  }

  create(address: string): Outcome {
    return this.#isCrowded(address) ? { refused: 'MATCHMAKER_TOO_MANY_PLAYERS_FROM_SOURCE' } : this.#mayMake()
  }

  /** Adds a new lobby. */
  made(
    id: string,
    { mode, region, isPublic }: { readonly mode: ModeId; readonly region: string; readonly isPublic: boolean },
  ): void {
    const isPlayed = this.servers === 'auto'
    this.#add({
      id,
      mode,
      region,
      counted: 0,
      isPublic,
      status: isPlayed ? 'ready' : 'starting',
      stopsAt: this.now + 8 * hour,
      readyBy: isPlayed ? undefined : this.now + 5 * minute,
    })
  }

  /** Adds a new seat. */
  seated(token: string, { id, address }: { readonly id: string; readonly address: string }): void {
    const lobby = this.#lobby(id)
    this.players.push({
      token,
      lobby,
      address,
      status: 'reserved',
      expiresAt: lobby.status === 'starting' ? undefined : this.now + 2 * minute,
      answered: lobby.status === 'starting' ? undefined : 'seat',
      connectsAt: lobby.runBy === 'mock' ? this.now + 2 * second : undefined,
      leavesAt: undefined,
      removesAt: this.now + 8 * hour,
      forgottenAt: undefined,
    })
  }

  /** Applies a call of a lobby's server. Returns the refusal, if any. */
  say(id: string, change: 'ready' | 'close' | 'open' | 'nothing'): string | undefined {
    const lobby = this.lobbies.find(one => one.id === id)
    if (!lobby) return 'TOKEN_INVALID'
    if (lobby.status === 'stopped') return 'MATCHMAKER_LOBBY_STOPPED'
    this.#handOver(lobby)
    if (change === 'ready' && lobby.status === 'starting') {
      Object.assign(lobby, { status: 'ready', readyBy: undefined })
      for (const player of this.players) {
        if (player.lobby !== lobby || player.answered !== undefined) continue
        // Its server may have connected it before the lobby was ready.
        if (player.status === 'reserved') player.expiresAt = this.now + 2 * minute
        const isSeated = player.status === 'reserved' || player.status === 'connected'
        player.answered = isSeated ? 'seat' : 'MATCHMAKER_PLAYER_REMOVED'
      }
    }
    if (change === 'close' || change === 'open') lobby.isClosed = change === 'close'
    return undefined
  }

  /** The number of calls that wait for their lobby. */
  get waiters(): number {
    return this.players.filter(({ answered }) => answered === undefined).length
  }

  /** Disconnects the client of a waiting call. */
  leave(token: string): void {
    const player = this.players.find(one => one.token === token)
    if (!player || player.answered !== undefined) return
    player.answered = 'gone'
    if (player.status === 'reserved' || player.status === 'connected') this.#gone(player, 'removed')
  }

  connect(id: string, token: string): string | undefined {
    const refused = this.#unable(id, token)
    if (refused !== undefined) return refused
    const player = this.#player(token)
    const isPlayed = player.leavesAt !== undefined
    if (player.status === 'connected' && !isPlayed) return 'MATCHMAKER_PLAYER_ALREADY_CONNECTED'
    if (player.status === 'expired') return 'MATCHMAKER_PLAYER_REGISTRATION_EXPIRED'
    if (player.status === 'removed') return 'MATCHMAKER_PLAYER_REMOVED'
    this.#handOver(player.lobby)
    Object.assign(player, { status: 'connected', expiresAt: undefined, connectsAt: undefined })
    return undefined
  }

  disconnect(id: string, token: string): string | undefined {
    const refused = this.#unable(id, token)
    if (refused !== undefined) return refused
    const player = this.#player(token)
    this.#handOver(player.lobby)
    if (player.status === 'reserved' || player.status === 'connected') this.#gone(player, 'removed')
    return undefined
  }

  /** Advances the time. Jobs run at their times, those of lobbies before those of players. */
  advance(ms: number): void {
    const end = this.now + ms
    for (let at = this.#nextAt(); at <= end; at = this.#nextAt()) {
      this.now = at
      for (const lobby of [...this.lobbies]) this.#happenTo(lobby)
      for (const player of [...this.players]) this.#happenToPlayer(player)
    }
    this.now = end
  }

  /** The number of taken seats. */
  seats(lobby: ModelLobby): number {
    return this.connected(lobby) + this.reserved(lobby)
  }

  connected(lobby: ModelLobby): number {
    return lobby.status === 'stopped' ? 0 : lobby.counted + this.#count(lobby, 'connected')
  }

  reserved(lobby: ModelLobby): number {
    return this.#count(lobby, 'reserved')
  }

  #count(lobby: ModelLobby, status: ModelPlayer['status']): number {
    return this.players.filter(player => player.lobby === lobby && player.status === status).length
  }

  #add(lobby: Omit<ModelLobby, 'runBy' | 'isClosed' | 'forgottenAt'>): void {
    const runBy = this.servers === 'auto' ? 'mock' : 'server'
    this.lobbies.push({ ...lobby, runBy, isClosed: false, forgottenAt: undefined })
  }

  #mayMake(): Outcome {
    const running = this.lobbies.filter(lobby => lobby.status !== 'stopped').length
    return running < limits.lobbies ? { seat: 'new' } : { refused: 'MATCHMAKER_TOO_MANY_LOBBIES' }
  }

  #isCrowded(address: string): boolean {
    const there = this.players.filter(player => player.address === address)
    return there.filter(({ status }) => status === 'reserved' || status === 'connected').length >= limits.fromSource
  }

  #unable(id: string, token: string): string | undefined {
    const lobby = this.lobbies.find(one => one.id === id)
    if (!lobby) return 'TOKEN_INVALID'
    const player = this.players.find(one => one.token === token)
    if (!player) return 'TOKEN_ERROR'
    if (lobby.status === 'stopped') return 'MATCHMAKER_LOBBY_STOPPED'
    if (player.lobby === lobby) return undefined
    // The only refusal that changes something.
    if (player.status === 'reserved' || player.status === 'connected') this.#gone(player, 'removed')
    return 'MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY'
  }

  /** From now on, only calls of its server count. */
  #handOver(lobby: ModelLobby): void {
    if (lobby.runBy === 'server') return
    lobby.runBy = 'server'
    for (const player of this.players) {
      if (player.lobby !== lobby) continue
      // A player that the mock has connected waits for a call of the server.
      if (player.leavesAt !== undefined) Object.assign(player, { status: 'reserved', expiresAt: this.now + 2 * minute })
      Object.assign(player, { connectsAt: undefined, leavesAt: undefined })
    }
  }

  #gone(player: ModelPlayer, status: 'expired' | 'removed'): void {
    const nothing = { expiresAt: undefined, connectsAt: undefined, leavesAt: undefined, removesAt: undefined }
    Object.assign(player, { ...nothing, status, forgottenAt: this.now + hour })
  }

  #nextAt(): number {
    const ofLobbies = this.lobbies.flatMap(({ readyBy, stopsAt, forgottenAt }) => [readyBy, stopsAt, forgottenAt])
    const ofPlayers = this.players.flatMap(player => [
      player.expiresAt,
      player.connectsAt,
      player.leavesAt,
      player.removesAt,
      player.forgottenAt,
    ])
    return Math.min(...[...ofLobbies, ...ofPlayers].map(at => at ?? Number.POSITIVE_INFINITY))
  }

  #happenTo(lobby: ModelLobby): void {
    if (lobby.forgottenAt === this.now) {
      this.lobbies = this.lobbies.filter(one => one !== lobby)
      this.players = this.players.filter(player => player.lobby !== lobby)
    }
    if (lobby.readyBy !== this.now && lobby.stopsAt !== this.now) return
    Object.assign(lobby, { status: 'stopped', readyBy: undefined, stopsAt: undefined, forgottenAt: this.now + hour })
    for (const player of this.players) if (player.lobby === lobby) player.answered ??= 'MATCHMAKER_LOBBY_STOPPED'
    for (const player of this.players) {
      const isSeated = player.status === 'reserved' || player.status === 'connected'
      if (player.lobby === lobby && isSeated) this.#gone(player, 'removed')
    }
  }

  #happenToPlayer(player: ModelPlayer): void {
    if (player.forgottenAt === this.now) this.players = this.players.filter(one => one !== player)
    if (player.connectsAt === this.now) {
      const leavesAt = player.lobby.runBy === 'mock' ? this.now + 30 * minute : undefined
      Object.assign(player, { status: 'connected', expiresAt: undefined, connectsAt: undefined, leavesAt })
    }
    if (player.expiresAt === this.now) this.#gone(player, 'expired')
    if (player.leavesAt === this.now || player.removesAt === this.now) this.#gone(player, 'removed')
  }

  #lobby(id: string): ModelLobby {
    return this.lobbies.find(one => one.id === id) as ModelLobby // asked only for one that is there
  }

  #player(token: string): ModelPlayer {
    return this.players.find(one => one.token === token) as ModelPlayer // the same
  }
}
