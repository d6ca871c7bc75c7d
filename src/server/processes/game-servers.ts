import { worldPath } from '../../core/contract/paths.js'
import { createLobbies } from '../../core/control/creators.js'
import { type Environment, lobbyEnvironment } from '../../core/control/environment.js'
import { neverReady } from '../../core/control/warnings/seat-rules.js'
import { sameJson } from '../../core/lib/json.js'
import { shortened, UsageError } from '../../core/lib/messages.js'
import { real } from '../../core/lib/real-globals.js'
import { whenSlow } from '../../core/lib/slow-wait.js'
import { formatInstant } from '../../core/lib/time.js'
import type { Mock } from '../../core/mock/mock.js'
import type { RunningWorld } from '../../core/mock/running-world.js'
import { restartLobby, stopLobby } from '../../core/operations/game-server.js'
import { lobbyPorts } from '../../core/operations/lobbies.js'
import { hasCommands, type ScenarioCommands, type ServerCommand } from '../../core/scenario/commands.js'
import { endText, type GameServerState, type ServerFacts, type ServerLine } from '../../core/simulation/servers.js'
import type { LobbyPort } from '../../core/store/columns.js'
import { isSeated, modeKey, seatsTaken } from '../../core/store/lobby-rules.js'
import type { LobbyRow } from '../../core/store/matchmaker-rows.js'
import { fullNameOf } from '../../core/store/namespaces.js'
import type { ReadTables } from '../../core/store/table-calls.js'
import type { LiveWorld } from '../../core/store/world.js'
import { describeEnd, describeExit, exitFields, isNotFound, longestTail, tailOf, tailStart } from './exit-report.js'
import { type FindDeadPorts, findDeadPorts } from './listeners.js'
import { type FindPorts, findPorts } from './ports.js'
import { ProgramReports, type ServerLog } from './program-log.js'
import { KeptLines } from './server-output.js'
import { type Exit, type ServerProcess, type StartProcess, startProcess } from './server-process.js'
import { checkWatchedPaths, type WatchFiles, watchedPaths, watchFiles } from './watch-files.js'

interface GameServersOptions {
  readonly mock: Mock
  /** A URL of the mock that works on this machine. Until a promise has it, servers wait. */
  readonly url: string | Promise<string>
  readonly log: ServerLog
  /** The system. Default: the real one. */
  readonly system?:
    | {
        readonly start: StartProcess
        readonly findPorts: FindPorts
        readonly findDeadPorts: FindDeadPorts
        readonly watchFiles: WatchFiles
      }
    | undefined
}

const started = new WeakSet<Mock>()

/** Throws `UsageError` if the mock's own scenario has commands for game servers or bots, and nobody starts them. */
export function checkStarted(
  mock: Mock,
  { servers, call }: { readonly servers: boolean | undefined; readonly call: string },
) {
  const { commands } = mock
  if (servers || started.has(mock) || !hasCommands(commands)) return
  const [use, key] = commands.bots.size > 0 ? ['bots', 'players.command'] : ['game servers', 'servers.command']
  throw new UsageError(
    `the scenario has a command for ${use}, and ${call} starts no program unasked: pass servers: true, or leave ${key} out`,
  )
}

interface Server {
  readonly world: RunningWorld
  readonly lobbyId: string
  readonly id: { readonly lobby_id: string }
  /** Begins the lines about it: `duel 8f2c41aa`. */
  readonly name: string
  /** The files and folders whose changes restart it. */
  readonly watch: readonly string[]
  startedAt: number
  /** The ports that no other server may have meanwhile. */
  fixedPorts: readonly number[]
  process: ServerProcess | undefined
  /** True from a change of its files until its next process. */
  isRestarting: boolean
  isKilled: boolean
  /** True once its lobby has stopped, or was deleted. */
  isStopping: boolean
  readonly log: KeptLines<ServerLine>
  environment: Environment
  readonly namespaceId: string
  /** The kind of its end. `undefined` until it ends. */
  end: 'ended' | 'crashed' | 'stopped' | undefined
  state: Omit<GameServerState, 'status' | 'lines' | 'last_lines'>
}

const lastLines = { count: 3, characters: 200 } as const

const mostServers = 128
const mostEnded = 100

/** Finds free ports for the server of a lobby, with the labels of its ports. */
export function findLobbyPorts(
  lobbyId: string,
  tables: ReadTables,
  find: FindPorts = findPorts,
): Promise<readonly LobbyPort[]> {
  const lobby = tables.lobbies.get(lobbyId)
  return find(lobby ? lobbyPorts(lobby, tables) : [])
}

/** Gives ports to a lobby whose process starts. Returns `false` if it does not wait any more. */
export function givePorts(world: LiveWorld, lobbyId: string, ports: readonly LobbyPort[]): boolean {
  const lobby = world.tables.lobbies.get(lobbyId)
  if (lobby?.status !== 'starting') return false
  const put = () => void world.tables.lobbies.put(Object.freeze({ ...lobby, run_by: 'command', ports: [...ports] }))
  world.write(put, { cause: { kind: 'server' } })
  return true
}

/** Starts a process for each lobby that waits for its server, and stops both together. */
export class GameServers {
  readonly #options: GameServersOptions
  readonly #running = new Map<string, Server>()
  readonly #ended: Server[] = []
  readonly #reports: ProgramReports
  readonly #watches = new Map<string, { close(): Promise<void> }>()
  readonly #system: NonNullable<GameServersOptions['system']>
  #isClosed = false

  /** Throws `UsageError` if the mock has game servers already, or a watched path does not exist. */
  constructor(options: GameServersOptions) {
    const { mock } = options
    if (started.has(mock)) throw new UsageError('the game servers of this mock run already: pass servers: true once')
    checkWatchedPaths(mock.commands)
    started.add(mock)
    this.#options = options
    this.#reports = new ProgramReports(options.log, 'server')
    this.#system = options.system ?? { start: startProcess, findPorts, findDeadPorts, watchFiles }
    this.#updateWatches(mock.commands)
    mock.checkReloads(checkWatchedPaths)
    mock.reloaded.subscribe(commands => this.#updateWatches(commands))
    process.once('exit', this.kill)
    mock.atClose(() => this.close())
    mock.worlds.follow(world => this.#follow(world))
  }

  /** Stops all processes, and waits for their end. From now on none is started. */
  async close(): Promise<void> {
    this.#isClosed = true
    const servers = [...this.#running.values()]
    for (const server of servers) stop(server)
    await Promise.all([
      ...servers.map(({ process }) => process?.gone),
      ...[...this.#watches.values()].map(watch => watch.close()),
    ])
    process.off('exit', this.kill)
  }

  readonly kill = (): void => {
    this.#isClosed = true
    for (const { process } of this.#running.values()) process?.kill()
  }

  #updateWatches(commands: ScenarioCommands): void {
    if (this.#isClosed) return
    const paths = watchedPaths(commands)
    for (const [path, watch] of this.#watches) {
      if (paths.has(path)) continue
      this.#watches.delete(path)
      void watch.close()
    }
    for (const path of paths) {
      if (this.#watches.has(path)) continue
      const onChange = (file: string) => this.#restart(path, file)
      const onError = (reason: string) =>
        this.#reports.write({
          event: { event: 'watch-failed', path, reason },
          text: `cannot watch ${path}: ${reason}`,
          isFailure: true,
        })
      this.#watches.set(path, this.#system.watchFiles(path, { onChange, onError }))
    }
  }

  #restart(path: string, file: string): void {
    for (const server of this.#running.values())
      if (server.watch.includes(path) && !server.isStopping) this.#restartServer(server, `${file} has changed`)
  }

  /** Restarts a running server. One without a process starts anyway. */
  #restartServer(server: Server, because: string): void {
    const { process, isRestarting, state } = server
    if (!process || isRestarting) return
    server.isRestarting = true
    server.state = { ...state, restarts: state.restarts + 1 }
    changeLobbyOf(server, restartLobby)
    this.#report(server, 'restarting', `restarts its game server, because ${because}`)
    process.stop()
  }

  /** Restarts the server of a lobby. One that has ended gets a new lobby. */
  #restartByCall(world: RunningWorld, lobbyId: string): GameServerState | undefined {
    const server = this.#find(world, lobbyId)
    if (!server) return undefined
    if (server.end === undefined && !server.isStopping) {
      this.#restartServer(server, 'a control call asked for it')
      return stateOf(server)
    }
    const { game_mode_id, region_id } = server.state
    const fields = { namespace_id: server.namespaceId, game_mode_id, region_id, status: 'starting' } as const
    const create = () => {
      const { tables, clock } = world.world
      const [lobby] = createLobbies(world.world, [fields])
      if (lobby?.status !== 'starting' || !this.#commandFor(lobby, world))
        throw new UsageError(`restart: the scenario has no command for the game servers of ${game_mode_id} any more`)
      restartLobby(lobby, tables, clock.now())
      return lobby.lobby_id
    }
    const started = this.#find(world, world.world.write(create, { cause: { kind: 'code' } }))
    return started && stateOf(started)
  }

  /** Kills the server of a lobby. One that has no process yet does not start. */
  #killByCall(world: RunningWorld, lobbyId: string): GameServerState | undefined {
    const server = this.#find(world, lobbyId)
    if (!server) return undefined
    if (server.end === undefined) {
      server.isKilled = true
      server.isRestarting = false
      if (server.process) server.process.kill()
      else changeLobbyOf(server, stopLobby)
    }
    return stateOf(server)
  }

  #find(world: RunningWorld, lobbyId: string): Server | undefined {
    const running = this.#running.get(keyOf(world, lobbyId))
    return running ?? this.#ended.findLast(server => server.world === world && server.lobbyId === lobbyId)
  }

  #follow(world: RunningWorld): void {
    const check = (id: string, before: LobbyRow | undefined, after: LobbyRow | undefined) => {
      if (!after || after.status === 'stopped') this.#stopFor(id, world, before)
      else this.#serve(after, world)
      const server = this.#running.get(keyOf(world, id))
      if (!server || before?.status === after?.status) return
      if (after?.status === 'ready') this.#whenReady(server)
      publish(server)
    }
    const all = () => [...this.#ended, ...this.#running.values()].filter(server => server.world === world)
    const logOf = (server: Server) => ({
      ...stateOf(server),
      log: [...server.log.lines],
      environment: server.environment,
    })
    const runner = {
      list: () => all().map(stateOf),
      logs: () => all().map(logOf),
      get: (id: string) => {
        const server = this.#find(world, id)
        return server && logOf(server)
      },
      restart: (id: string) => this.#restartByCall(world, id),
      kill: (id: string) => this.#killByCall(world, id),
    }
    world.servers.runBy(runner, {
      starts: lobby => !this.#isClosed && this.#commandFor(lobby, world) !== undefined,
      serves: lobby => this.#serves(lobby, world),
      endText: lobbyId => endText(runner.get(lobbyId)),
    })
    const unsubscribe = world.world.subscribe(({ changes }) => {
      for (const change of changes)
        if (change.table === 'lobbies') check(change.id, change.before?.row, change.after?.row)
    })
    world.atClose(() => {
      unsubscribe()
      for (const server of this.#running.values()) if (server.world === world) stop(server)
    })
    for (const lobby of world.world.tables.lobbies.all()) check(lobby.lobby_id, undefined, lobby)
  }

  /** Tells whether the process of a lobby serves it, if it gets these columns. */
  #serves(lobby: LobbyRow, world: RunningWorld): boolean {
    const server = this.#running.get(keyOf(world, lobby.lobby_id))
    if (!server?.process || server.isStopping || server.isRestarting) return false
    return statusOf(server) === lobby.status && sameJson(portsByLabel(lobby.ports), server.state.ports)
  }

  /** Starts the server of a lobby that waits for one. Stops a process that does not serve the lobby any more. */
  #serve(lobby: LobbyRow, world: RunningWorld): void {
    const server = this.#running.get(keyOf(world, lobby.lobby_id))
    if (!server && lobby.status === 'starting') this.#startFor(lobby, world)
    if (server?.process && !server.isStopping && lobby.run_by !== 'command') stop(server)
  }

  #startFor(lobby: LobbyRow, world: RunningWorld): void {
    const { lobby_id, game_mode_id, region_id, namespace_id } = lobby
    const key = keyOf(world, lobby_id)
    const found = this.#commandFor(lobby, world)
    if (found === undefined || this.#running.has(key) || this.#isClosed) return
    const server: Server = {
      world,
      lobbyId: lobby_id,
      id: { lobby_id },
      name: `${game_mode_id} ${lobby_id.slice(0, 8)}`,
      startedAt: real.now(),
      watch: found.watch,
      fixedPorts: [],
      process: undefined,
      isRestarting: false,
      isKilled: false,
      isStopping: false,
      log: new KeptLines(),
      environment: {},
      namespaceId: namespace_id,
      end: undefined,
      state: {
        lobby_id,
        game_mode_id,
        region_id,
        command: found.command,
        ports: {},
        started_at: timeIn(world),
        restarts: 0,
      },
    }
    const notStarted = (message: string) => {
      setEnd(server, 'crashed', { message })
      this.#remove(server)
      changeLobbyOf(server, stopLobby)
      this.#fail(server, message)
    }
    if (this.#running.size >= mostServers) {
      notStarted(`not started, because ${mostServers} game servers run already: stop lobbies, and try again`)
      return
    }
    this.#running.set(key, server)
    publish(server)
    this.#run(server).catch((error: unknown) =>
      notStarted(`not started: ${error instanceof Error ? error.message : String(error)}`),
    )
  }

  /** Returns the command for a lobby that waits. A game mode that sets `servers` has its own, or none. */
  #commandFor(lobby: LobbyRow, { world: { tables } }: RunningWorld): ServerCommand | undefined {
    const mode = tables.gameModes.get(modeKey(lobby))
    if (mode?.servers === undefined)
      return tables.settings.get('settings')?.servers === 'manual' ? this.#options.mock.commands.all : undefined
    if (mode.servers === 'auto') return undefined
    return this.#options.mock.commands.modes.get(`${fullNameOf(lobby.namespace_id, tables)}/${lobby.game_mode_id}`)
  }

  /** Runs one process after the other, until one ends that no change of a file has stopped. */
  async #run(server: Server): Promise<void> {
    // The old process may have called ready before it ended.
    while (await this.#runProcess(server)) changeLobbyOf(server, restartLobby)
    if (server.end === undefined) setEnd(server, 'stopped')
    this.#remove(server)
    // The lobby may wait for the next one by now, also in another world of that id.
    const world = this.#options.mock.worlds.inMemory(server.world.id)
    const lobby = world?.world.tables.lobbies.get(server.lobbyId)
    if (world && lobby) this.#serve(lobby, world)
  }

  /** Runs a process from the search for its ports to its end. Resolves with `true` if another one takes its place. */
  async #runProcess(server: Server): Promise<boolean> {
    const { world, lobbyId } = server
    const { tables } = world.world
    server.process = undefined
    server.isRestarting = false
    const url = await this.#options.url
    await this.#untilFixedPortsAreFree(server)
    const ports = await findLobbyPorts(lobbyId, tables, this.#system.findPorts)
    // It may have stopped meanwhile.
    if (server.isStopping || this.#isClosed || !givePorts(world.world, lobbyId, ports)) return false
    const env = lobbyEnvironment(tables, lobbyId, { url: url + worldPath(world.id) })
    server.startedAt = real.now()
    server.environment = env
    const process = this.#system.start(server.state.command, env, line => this.#addLine(server, line))
    server.process = process
    const { pid } = process
    const byLabel = portsByLabel(ports)
    // The times are those of this process.
    const { ready_at: _, ready_ms: __, pid: ___, ...known } = server.state
    const started = { ports: byLabel, started_at: timeIn(world) }
    server.state = { ...known, ...started, ...(pid === undefined ? {} : { pid }) }
    publish(server)
    const list = Object.entries(byLabel)
      .map(([label, port]) => `${label} ${port}`)
      .join(', ')
    this.#report(
      server,
      'started',
      `started its game server${server.state.restarts > 0 ? ' again' : ''}${list === '' ? '' : `, port ${list}`}, pid ${pid}`,
    )
    const calm = whenSlow(() => {
      if (statusOf(server) !== 'starting') return
      this.#report(
        server,
        'waiting',
        'has not called POST /matchmaker/lobbies/ready yet. The players of its lobby wait',
      )
    })
    const exit = await process.exited
    calm()
    const isReplaced = () => server.isRestarting && !server.isStopping
    if (!isReplaced()) this.#whenExited(server, exit)
    await process.gone
    return isReplaced()
  }

  /** Waits until another server with the same fixed port has ended. Rejects with `UsageError` if nothing ends it. */
  async #untilFixedPortsAreFree(server: Server): Promise<void> {
    const lobby = server.world.world.tables.lobbies.get(server.lobbyId)
    const ports = lobby ? lobbyPorts(lobby, server.world.world.tables) : []
    server.fixedPorts = ports.flatMap(({ fixed = [] }) => fixed)
    for (const other of this.#running.values()) {
      const shared = other === server ? undefined : other.fixedPorts.find(port => server.fixedPorts.includes(port))
      if (shared === undefined) continue
      if (!other.isStopping)
        throw new UsageError(
          `port ${shared} is fixed, and the game server ${other.name} has it: one runs at a time. Stop lobby ${other.lobbyId}, or leave out fixed`,
        )
      await other.process?.gone
    }
  }

  #whenReady(server: Server): void {
    setReady(server)
    void this.#tellDeadPorts(server)
    const { process } = server
    whenSlow(() => {
      const isSilent = process?.lastLines().length === 0
      if (isSilent && server.process === process && statusOf(server) === 'ready') tell(server, { kind: 'silent' })
    })
  }

  async #tellDeadPorts(server: Server): Promise<void> {
    const { world, lobbyId, process } = server
    const { ports = [] } = world.world.tables.lobbies.get(lobbyId) ?? {}
    const { dead, listening } = await this.#system.findDeadPorts(ports, process?.pid)
    // Nothing listens any more if it has ended meanwhile.
    if (dead.length === 0 || statusOf(server) !== 'ready') return
    tell(server, { kind: 'dead ports', dead, listening })
  }

  #whenExited(server: Server, exit: Exit): void {
    const { code } = exit
    const how = exitFields(exit)
    if (server.isStopping) {
      setEnd(server, 'stopped', how)
      this.#report(server, 'stopped', 'stopped its game server')
      return
    }
    server.isStopping = true
    const { world, lobbyId, startedAt, state } = server
    const lobby = world.world.tables.lobbies.get(lobbyId)
    const { text, isFailure } = describeExit({
      exit,
      command: state.command,
      ageMs: real.now() - startedAt,
      wasReady: lobby?.status === 'ready',
      wasKilled: server.isKilled,
      players: lobby ? seatsTaken(lobby) : 0,
    })
    // They are in the lobby until it stops.
    const tokens = seatedIn(server)
    const hasStarted = exit.error === undefined && !isNotFound(exit)
    if (tokens.length > 0 && hasStarted && !server.isKilled)
      tell(server, { kind: 'ended', exit: describeEnd(exit), isCrash: code !== 0, players: tokens })
    keepLastLines(server)
    setEnd(server, code === 0 ? 'ended' : 'crashed', { ...how, message: text })
    changeLobbyOf(server, stopLobby)
    if (isFailure) this.#fail(server, text)
    else this.#report(server, 'stopped', text)
  }

  #stopFor(lobbyId: string, world: RunningWorld, before: LobbyRow | undefined): void {
    const server = this.#running.get(keyOf(world, lobbyId))
    if (!server || server.isStopping) return
    const isLate = before?.status === 'starting' && (before.ready_by ?? Number.POSITIVE_INFINITY) <= world.clock.now()
    if (isLate && server.process) {
      const message = `${neverReady.sentence({ who: 'its game server' })}: make it faster, or raise ready_within`
      server.state = { ...server.state, message }
      this.#fail(server, message)
    }
    stop(server)
  }

  #remove(server: Server): void {
    const key = keyOf(server.world, server.lobbyId)
    if (this.#running.get(key) === server) this.#running.delete(key)
    this.#ended.push(server)
    if (this.#ended.length > mostEnded) this.#ended.shift()
    publish(server)
  }

  #addLine(server: Server, line: string): void {
    server.log.add({ at: timeIn(server.world), text: line })
    server.world.servers.changes.emit('soon')
    this.#reports.addLine(server, line)
  }

  #report(server: Server, event: 'started' | 'waiting' | 'restarting' | 'stopped', text: string): void {
    this.#reports.add(server, event, text, { ...server.state, status: statusOf(server) })
  }

  #fail(server: Server, message: string): void {
    this.#reports.addFailure(server, message, { ...server.state, status: statusOf(server) })
  }
}

function keyOf({ id }: RunningWorld, lobbyId: string): string {
  return `${id} ${lobbyId}`
}

function portsByLabel(ports: readonly LobbyPort[] = []): Readonly<Record<string, number>> {
  return Object.fromEntries(ports.map(port => [port.label, port.target_port ?? port.port_range?.min ?? 0]))
}

function timeIn({ world }: RunningWorld): string {
  return formatInstant(world.clock.now())
}

function publish({ world }: Server): void {
  world.servers.changes.emit('now')
}

function tell({ world, state: { lobby_id, game_mode_id, region_id } }: Server, facts: ServerFacts): void {
  world.servers.events.emit({ lobby_id, game_mode_id, region_id, ...facts })
}

function seatedIn({ world: { world }, id }: Server): string[] {
  const players = world.tables.players.inIndex('lobby_id', id)
  return players
    .filter(isSeated)
    .flatMap(({ player_token, session_ms }) => (session_ms === undefined ? player_token : []))
}

function stateOf(server: Server): GameServerState {
  return { ...server.state, status: statusOf(server), lines: server.log.count, last_lines: lastLinesOf(server) }
}

function lastLinesOf({ log, end }: Server): ServerLine[] {
  const { lines, texts } = log
  const start = end === 'crashed' ? tailStart(texts) : Math.max(0, lines.length - lastLines.count)
  return lines
    .slice(start, start + longestTail)
    .map(({ at, text }) => ({ at, text: shortened(text, lastLines.characters) }))
}

function keepLastLines({ process, log, world }: Server): void {
  const last = process?.lastLines() ?? []
  if (last.at(-1) === log.lines.at(-1)?.text) return
  for (const text of tailOf(last)) log.add({ at: timeIn(world), text })
}

function setReady(server: Server): void {
  const ready_ms = Math.round(real.now() - server.startedAt)
  server.state = { ...server.state, ready_at: timeIn(server.world), ready_ms }
}

function setEnd(
  server: Server,
  end: 'ended' | 'crashed' | 'stopped',
  how: Partial<Pick<GameServerState, 'exit_code' | 'signal' | 'message'>> = {},
): void {
  server.end = end
  server.state = { ...server.state, ...how, ended_at: timeIn(server.world) }
  publish(server)
}

function statusOf({ world, lobbyId, isStopping, end }: Server): GameServerState['status'] {
  if (end !== undefined) return end
  if (isStopping) return 'stopping'
  return world.world.tables.lobbies.get(lobbyId)?.status === 'ready' ? 'ready' : 'starting'
}

function stop(server: Server): void {
  server.isStopping = true
  server.process?.stop()
}

/** Lets the lobby of a process wait for the next one, or stops it. Does nothing for one that has stopped. */
function changeLobbyOf({ world: { world }, lobbyId }: Server, change: typeof restartLobby | typeof stopLobby): void {
  const changeIt = () => {
    const lobby = world.tables.lobbies.get(lobbyId)
    if (lobby && lobby.status !== 'stopped') change(lobby, world.tables, world.clock.now())
  }
  world.write(changeIt, { cause: { kind: 'server' } })
}
