import { createLobbies } from '../../core/control/creators.js'
import { type Environment, lobbyEnvironment } from '../../core/control/environment.js'
import type { CheckResult } from '../../core/lib/check-report.js'
import { counted, UsageError } from '../../core/lib/messages.js'
import type { Mock } from '../../core/mock/mock.js'
import type { RunningWorld } from '../../core/mock/running-world.js'
import type { ServedLobby } from '../../core/simulation/servers.js'
import type { GameModeRow } from '../../core/store/matchmaker-rows.js'
import { unknownReference } from '../../core/store/model.js'
import { defaultNamespaceId, fullNameOf } from '../../core/store/namespaces.js'
import type { ReadTables } from '../../core/store/table-calls.js'
import { takeSeat } from './bot-seat.js'
import { findLobbyPorts, givePorts } from './game-servers.js'
import {
  type ClientEnd,
  type ExpectableCall,
  endsWithinMs,
  hasCome,
  judgeServer,
  type ServerEnd,
} from './judge-server.js'
import { type DeadPorts, findDeadPorts } from './listeners.js'
import { type Exit, type ServerProcess, startProcess } from './server-process.js'

export interface ServerCheckOptions {
  readonly mock: Mock
  readonly url: string
  /** The command of the server, for the shell. */
  readonly command: string
  /** A command of the shell, which runs once for each player. Default: the server finds its players by itself. */
  readonly client?: string | undefined
  readonly players: number
  readonly expected: readonly ExpectableCall[]
  /** The calls must come within this time, in real ms. */
  readonly withinMs: number
  /** Default: the first one of the scenario. */
  readonly gameMode?: string | undefined
  /** Called once, when the server has called ready. */
  onReady(): void
  /** Gets each line of output. `from` is `server`, or `player 3`. */
  onLine(from: string, line: string): void
  readonly signal: AbortSignal
}

/** After its clients have left, the server has at least this time to disconnect their players, and for the calls that it owes. In ms. */
const leavesWithinMs = 5_000
/** Once all are connected, the players stay for this time, in ms. A server may need a moment for its own bookkeeping. */
const playsMs = 500
/** The shortest time between two looks at the calls of the server, in ms. */
const readEveryMs = 20

const noDeadPorts: DeadPorts = { dead: [], listening: [] }

interface Seat {
  /** The variables of its client. Resolves once the server is ready. */
  readonly environment: Promise<Environment | undefined>
  client?: Client
}

interface Client extends Omit<ClientEnd, 'lastLines'> {
  readonly process: ServerProcess
  exit: Exit | undefined
  ms: number
}

/** Says that a lobby has fewer seats than players, and what to pass instead. `undefined` if it has enough. */
export function tooFewSeats(
  tables: Pick<ReadTables, 'gameModes' | 'settings'>,
  { players, gameMode }: Pick<ServerCheckOptions, 'players' | 'gameMode'>,
): string | undefined {
  const modes = modesOf(tables)
  const mode = gameMode === undefined ? modes[0] : modes.find(one => one.game_mode_id === gameMode)
  // The players join by the id of the lobby.
  if (!mode || mode.max_players_direct >= players) return undefined
  const { game_mode_id, max_players_direct: seats } = mode
  const larger = modes.find(one => one.max_players_direct >= players && !one.disabled?.includes('join'))
  const choices = [
    ...(seats > 0 ? [`pass --players ${seats}`] : []),
    larger ? `${seats > 0 ? '' : 'pass '}--game-mode ${larger.game_mode_id}` : 'raise its max_players in the scenario',
  ]
  return `${game_mode_id} has ${counted(seats, 'seat', 'seats')}: ${choices.join(', or ')}`
}

function modesOf({ gameModes, settings }: Pick<ReadTables, 'gameModes' | 'settings'>): GameModeRow[] {
  return gameModes.findMany(q => q.where({ namespace_id: defaultNamespaceId({ settings }) ?? '' }))
}

/** Returns the command that the scenario has for the game servers of a game mode. Default: for those of the first one. */
export function scenarioCommand(
  { commands: { all, modes }, default: { world } }: Mock,
  gameMode: string | undefined,
): string | undefined {
  const mode = modesOf(world.tables).find(({ game_mode_id }) => gameMode === undefined || game_mode_id === gameMode)
  const own = mode && modes.get(`${fullNameOf(mode.namespace_id, world.tables)}/${mode.game_mode_id}`)
  return (own ?? all)?.command
}

/** Runs a game server for a new lobby, sends players, and checks its calls. Leaves no process. Rejects with `UsageError`. */
export function checkServer(options: ServerCheckOptions): Promise<CheckResult[]> {
  return new ServerCheck(options).run()
}

class ServerCheck {
  readonly #options: ServerCheckOptions
  readonly #world: RunningWorld
  readonly #lobbyId: string
  /** A public token, which the players send. */
  readonly #token: string | undefined
  readonly #seats: Seat[] = []
  readonly #abort = new AbortController()
  #server: ServerProcess | undefined
  #startedAt = 0
  #readyMs: number | undefined
  #exit: Exit | undefined
  #exitMs = 0
  /** True once the check ends the clients itself. */
  #stopsClients = false
  /** Called after each request, and at each end of a process. */
  #onChange = () => {}

  constructor(options: ServerCheckOptions) {
    const { mock, gameMode } = options
    this.#options = options
    this.#world = mock.default
    const { world } = this.#world
    const ids = modesOf(world.tables).map(({ game_mode_id }) => game_mode_id)
    if (gameMode !== undefined && !ids.includes(gameMode))
      throw new UsageError(unknownReference('the game mode', gameMode, ids))
    const mode = gameMode === undefined ? {} : { game_mode_id: gameMode }
    const [lobby] = createLobbies(world, [{ status: 'starting', ...mode }])
    this.#lobbyId = lobby?.lobby_id ?? ''
    const own = world.tables.tokens
      .all()
      .find(token => token.kind === 'public' && token.namespace_id === lobby?.namespace_id)
    this.#token = own?.token
  }

  async run(): Promise<CheckResult[]> {
    const { mock, expected, withinMs, client, onReady } = this.#options
    const unsubscribe = mock.log.subscribe(({ operation, status, caller }) => {
      const isOwn = caller?.kind === 'lobby' && caller.lobbyId === this.#lobbyId
      if (isOwn && operation === 'lobbies.ready' && status === 200)
        this.#readyMs ??= performance.now() - this.#startedAt
      this.#onChange()
    })
    process.once('exit', this.#kill)
    try {
      await this.#takeSeats()
      await this.#start()
      const deadline = this.#startedAt + withinMs
      const isMet = (calls: readonly ExpectableCall[]) => () =>
        calls.every(call => hasCome({ served: this.#served(), readyMs: this.#readyMs }, call))
      await this.#until(() => this.#readyMs !== undefined, deadline)
      if (this.#readyMs !== undefined) onReady()
      if (this.#readyMs !== undefined && client !== undefined) {
        await this.#startClients(client)
        // The players stay until the server has reported all of them, and whatever else it should call.
        const hasCalled = isMet(expected.filter(call => call !== 'disconnected'))
        await this.#until(() => hasCalled() || this.#haveClientsEnded(), deadline)
        await this.#until(hasCalled, Math.min(deadline, performance.now() + leavesWithinMs))
        await this.#until(() => false, Math.min(deadline, performance.now() + playsMs))
        this.#stopClients()
        const leftAt = Math.max(deadline, performance.now() + leavesWithinMs)
        const hasLeft = () => this.#served().players.every(player => player.disconnected || !player.connected)
        if (expected.includes('disconnected')) await this.#until(hasLeft, leftAt)
      } else if (this.#readyMs !== undefined) await this.#until(isMet(expected), deadline)
      const clients = this.#seats.flatMap(({ client }) => client ?? [])
      const deadPorts = await this.#deadPorts()
      const end = await this.#stopServer()
      await Promise.all(clients.map(({ process }) => process.gone))
      const served = this.#served()
      const ended = clients.map(client => ({ ...client, lastLines: client.process.lastLines() }))
      return judgeServer({ served, expected, withinMs, readyMs: this.#readyMs, end, clients: ended, deadPorts })
    } finally {
      unsubscribe()
      this.#abort.abort()
      this.#server?.stop()
      this.#stopClients()
      await Promise.all([this.#server?.gone, ...this.#seats.map(({ client }) => client?.process.gone)])
      process.off('exit', this.#kill)
    }
  }

  /** True if all players had a client, and none of them runs any more. */
  #haveClientsEnded(): boolean {
    return this.#seats.length > 0 && this.#seats.every(({ client }) => client?.exit !== undefined)
  }

  #stopClients(): void {
    this.#stopsClients = true
    for (const { client } of this.#seats) client?.process.stop()
  }

  readonly #kill = (): void => {
    this.#server?.kill()
    for (const { client } of this.#seats) client?.process.kill()
  }

  /** Reserves a seat for each player, as their clients do. Their answers come once the server is ready. */
  async #takeSeats(): Promise<void> {
    const { players, url } = this.#options
    for (let i = 0; i < players; i += 1) {
      let refusal: string | undefined
      const { signal } = this.#abort
      const environment = takeSeat({ lobby_id: this.#lobbyId }, { url, token: this.#token, signal }).catch(
        (error: Error) => {
          refusal = error.message
          this.#onChange()
          return undefined
        },
      )
      this.#seats.push({ environment })
      await this.#until(() => refusal !== undefined || this.#tokens().length > i, Number.POSITIVE_INFINITY, {
        isRunning: false,
      })
      if (refusal !== undefined) throw new UsageError(`player ${i + 1} of ${players}: ${refusal}`)
    }
  }

  /** The tokens of the players who have a seat, the oldest first. */
  #tokens(): string[] {
    const rows = this.#world.world.tables.players.inIndex('lobby_id', { lobby_id: this.#lobbyId })
    return [...rows].map(({ player_token }) => player_token)
  }

  async #start(): Promise<void> {
    const { command, url, client, players, onLine } = this.#options
    const { world } = this.#world
    givePorts(world, this.#lobbyId, await findLobbyPorts(this.#lobbyId, world.tables))
    const tokens = client === undefined && players > 0 ? { MOCKMAKER_PLAYER_TOKENS: this.#tokens().join() } : {}
    const env = { ...lobbyEnvironment(world.tables, this.#lobbyId, { url }), ...tokens }
    this.#startedAt = performance.now()
    this.#server = startProcess(command, env, line => onLine('server', line), endsWithinMs)
    void this.#server.exited.then(exit => {
      this.#exit = exit
      this.#exitMs = performance.now() - this.#startedAt
      this.#onChange()
    })
  }

  async #startClients(command: string): Promise<void> {
    const { onLine } = this.#options
    for (const [i, seat] of this.#seats.entries()) {
      const env = await seat.environment
      if (!env) continue
      const name = `player ${i + 1}`
      const process = startProcess(command, env, line => onLine(name, line))
      const startedAt = performance.now()
      const client: Client = { name, token: env.RIVET_PLAYER_TOKEN ?? '', process, exit: undefined, ms: 0 }
      seat.client = client
      void process.exited.then(exit => {
        client.ms = performance.now() - startedAt
        if (!this.#stopsClients) client.exit = exit
        this.#onChange()
      })
    }
  }

  /** Waits until a condition is true, the server has ended, or the time is over. */
  async #until(isTrue: () => boolean, deadline: number, { isRunning = true } = {}): Promise<void> {
    const { signal } = this.#options
    await new Promise<void>(resolve => {
      let timer: ReturnType<typeof setTimeout> | undefined
      const look = () => {
        timer = undefined
        if (isTrue() || (isRunning && this.#exit) || signal.aborted) end()
      }
      const soon = () => {
        timer ??= setTimeout(look, readEveryMs)
      }
      const unsubscribe = this.#world.world.subscribe(soon)
      const end = () => {
        clearTimeout(timer)
        clearTimeout(late)
        unsubscribe()
        signal.removeEventListener('abort', look)
        this.#onChange = () => {}
        resolve()
      }
      // The timer ends the wait by itself: it may come a little before the deadline, by another clock.
      const late = deadline === Number.POSITIVE_INFINITY ? undefined : setTimeout(end, deadline - performance.now())
      this.#onChange = soon
      signal.addEventListener('abort', look)
      look()
    })
    signal.throwIfAborted()
  }

  #served(): ServedLobby {
    return this.#world.servers.served(this.#lobbyId)
  }

  /** Finds the TCP ports on which a running server should listen, and does not. Asks for none if a player has connected. */
  async #deadPorts(): Promise<DeadPorts> {
    const clients = this.#seats.some(({ client }) => client)
    if (!clients || this.#exit || this.#served().players.some(player => player.connected)) return noDeadPorts
    const { ports = [] } = this.#world.world.tables.lobbies.get(this.#lobbyId) ?? {}
    return findDeadPorts(ports, this.#server?.pid)
  }

  /** Sends SIGTERM to the server, unless it has ended, and waits for its end. */
  async #stopServer(): Promise<ServerEnd> {
    const server = this.#server as ServerProcess // it was started
    if (this.#exit) return { exit: this.#exit, ms: this.#exitMs, wasStopped: false, lastLines: server.lastLines() }
    const stoppedAt = performance.now()
    server.stop()
    await server.gone
    const exit = await server.exited
    return { exit, ms: performance.now() - stoppedAt, wasStopped: true, lastLines: server.lastLines() }
  }
}
