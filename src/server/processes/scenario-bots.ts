import { defaultWorldId } from '../../core/contract/paths.js'
import type { Environment } from '../../core/control/environment.js'
import { environmentOf } from '../../core/control/environment.js'
import { sameJson } from '../../core/lib/json.js'
import { UsageError } from '../../core/lib/messages.js'
import type { Mock } from '../../core/mock/mock.js'
import type { RunningWorld } from '../../core/mock/running-world.js'
import { versionNameOf } from '../../core/operations/games.js'
import type { BotCommand, ScenarioCommands } from '../../core/scenario/commands.js'
import { drawMode } from '../../core/simulation/simulated-players.js'
import { fullNameOf } from '../../core/store/namespaces.js'
import type { Random } from '../../core/store/random.js'
import { takeSeat } from './bot-seat.js'
import { Bots, checkBotCount, defaultMaxBots } from './bots.js'
import type { ServerLog } from './program-log.js'
import type { StartProcess } from './server-process.js'

interface ScenarioBotsOptions {
  readonly mock: Mock
  /** A URL of the mock that works on this machine. Until a promise has it, bots wait. */
  readonly url: string | Promise<string>
  readonly log: ServerLog
  /** The most bots at once. Default: 64. */
  readonly maxBots?: number | undefined
  /** Default: the real one. */
  readonly start?: StartProcess | undefined
}

/** Throws `UsageError` if a scenario has too many bots. */
export function checkBots({ bots }: ScenarioCommands, maxBots = defaultMaxBots): void {
  const count = [...bots.values()].reduce((sum, { concurrent }) => sum + concurrent, 0)
  checkBotCount(count, maxBots, 'players.concurrent')
}

/** Runs the bots of a mock's own scenario in its world `default`. A reload ends those of a changed namespace. */
export class ScenarioBots {
  readonly #options: ScenarioBotsOptions
  /** By the full name of the namespace. */
  readonly #running = new Map<string, { readonly command: BotCommand; readonly bots: Bots }>()
  readonly #ends = new Set<Promise<void>>()
  #world: RunningWorld | undefined
  #isClosed = false

  /** Throws `UsageError` if there are too many bots. */
  constructor(options: ScenarioBotsOptions) {
    const { mock, maxBots } = options
    checkBots(mock.commands, maxBots)
    this.#options = options
    mock.checkReloads(commands => checkBots(commands, maxBots))
    mock.reloaded.subscribe(() => this.#update())
    mock.atClose(() => this.close())
    mock.worlds.follow(world => this.#follow(world))
  }

  /** Ends all bots, and waits for their end. From now on none starts. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#update()
    await Promise.all(this.#ends)
  }

  #follow(world: RunningWorld): void {
    if (world.id !== defaultWorldId) return
    this.#world = world
    world.atClose(() => {
      if (this.#world !== world) return
      this.#world = undefined
      this.#update()
    })
    this.#update()
  }

  /** Ends the bots that nothing asks for any more, and starts the missing ones. */
  #update(): void {
    const wanted: ReadonlyMap<string, BotCommand> =
      this.#isClosed || !this.#world ? new Map() : this.#options.mock.commands.bots
    for (const [namespace, { command, bots }] of this.#running) {
      if (sameJson(command, wanted.get(namespace))) continue
      this.#running.delete(namespace)
      const end = bots.close().finally(() => this.#ends.delete(end))
      this.#ends.add(end)
    }
    // Otherwise there would be twice as many for a moment.
    if (this.#ends.size > 0) void Promise.all(this.#ends).then(() => this.#startMissing())
    else this.#startMissing()
  }

  #startMissing(): void {
    const { commands } = this.#options.mock
    if (!this.#world || this.#isClosed || this.#ends.size > 0) return
    for (const [namespace, command] of commands.bots)
      if (!this.#running.has(namespace))
        this.#running.set(namespace, { command, bots: this.#start(this.#world, namespace, command) })
  }

  #start(world: RunningWorld, namespace: string, command: BotCommand): Bots {
    const { mock, log, start } = this.#options
    const { concurrent, session_ms } = command
    return new Bots({
      command: command.command,
      count: concurrent,
      sessionMs: session_ms,
      seed: world.world.seed,
      // Those of one namespace need no name.
      name: mock.commands.bots.size > 1 ? namespace : undefined,
      environment: this.#environmentOf(world, namespace, command),
      log,
      start,
    })
  }

  /** Returns a function that returns the variables of a client of a namespace, with its seat if the command asks for one. */
  #environmentOf({ world: { tables } }: RunningWorld, name: string, { find, modes }: BotCommand) {
    return async (random: Random, signal: AbortSignal): Promise<Environment> => {
      const url = await this.#options.url
      const namespace = tables.namespaces.all().find(({ namespace_id }) => fullNameOf(namespace_id, tables) === name)
      if (!namespace) throw new UsageError(`the world has no namespace ${name} any more`)
      const { namespace_id } = namespace
      const token = tables.tokens.all().find(row => row.kind === 'public' && row.namespace_id === namespace_id)?.token
      const mode = find ? drawMode({ namespace_id, ...(modes && { modes }) }, random, tables) : undefined
      if (find && mode === undefined) throw new UsageError(`players find no lobby in any game mode of ${name}`)
      return {
        ...environmentOf(url, token, versionNameOf(namespace, tables)),
        ...(mode !== undefined && (await takeSeat({ game_modes: [mode] }, { url, token, signal }))),
      }
    }
  }
}
