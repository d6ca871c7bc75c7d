import type { Environment } from '../../core/control/environment.js'
import { UsageError } from '../../core/lib/messages.js'
import { elapsedText } from '../../core/lib/time.js'
import { drawSession } from '../../core/simulation/simulated-players.js'
import { Random } from '../../core/store/random.js'
import { exitFields, isNotFound } from './exit-report.js'
import { ProgramReports, type ServerLog } from './program-log.js'
import { type Exit, type ServerProcess, type StartProcess, startProcess } from './server-process.js'

/** The most bots at once. `--max-bots` allows more. */
export const defaultMaxBots = 64

const graceMs = 2_000
/** Two bots start this far apart on average, in ms. Programs need most of a processor while they start. */
const betweenStartsMs = 250
/** A bot that has played comes back after a time between these, in ms. */
const comesBackMs = { least: 1_000, most: 5_000 } as const
/** A bot that ends by itself before this age has ended at once, in ms. */
const atOnceMs = 5_000
/** The first pause after a bot that ended at once, and the longest, in ms. Each pause is twice as long as the one before. */
const backOffMs = { first: 1_000, longest: 60_000 } as const

interface BotsOptions {
  /** A command of the shell. */
  readonly command: string
  readonly count: number
  /** The average time that a bot stays, in real ms. Default: until it ends by itself. */
  readonly sessionMs?: number | undefined
  readonly seed: number
  /** Begins the lines about a bot, if there are bots of several namespaces: `tanks/prod`. */
  readonly name?: string | undefined
  /** Returns the variables of a bot that is about to start. What it rejects with is reported, and the bot tries again later. */
  environment(random: Random, signal: AbortSignal): Promise<Environment>
  readonly log: ServerLog
  /** Called if the shell finds no such command, before any bot has played. */
  onNotFound?(): void
  /** Default: the real one. */
  readonly start?: StartProcess | undefined
}

/** A player who comes, stays and leaves, again and again, each time as a new process. */
interface Bot {
  /** Its number, from 1, and its namespace if there are bots of several. */
  readonly id: { readonly namespace?: string; readonly bot: number }
  /** Begins the lines about it: `bot 3`. */
  readonly name: string
  readonly random: Random
  starts: number
  /** The number of times in a row that it ended at once. */
  quickEnds: number
  process: ServerProcess | undefined
  isLeaving: boolean
}

/** Throws `UsageError` if there are too many bots. `where` begins the message. */
export function checkBotCount(count: number, max: number, where: string): void {
  if (count <= max) return
  throw new UsageError(
    `${where}: ${count} bots are more than ${max}, and each is a process of this machine. Lower the number, or add --max-bots ${count}`,
  )
}

/** Runs the client of a game as bots, one process each, by real time. One that ends at once comes back after a growing pause. */
export class Bots {
  readonly #options: BotsOptions
  readonly #bots: readonly Bot[]
  readonly #arrivals: Random
  readonly #waiting: Bot[] = []
  readonly #visits = new Set<Promise<void>>()
  readonly #closing = new AbortController()
  #nextStart: ReturnType<typeof setTimeout> | undefined
  #startedAt = Number.NEGATIVE_INFINITY
  /** The number of bots in a row that failed at once. */
  #failures = 0
  #hasPlayed = false
  readonly #reports: ProgramReports

  constructor(options: BotsOptions) {
    const { count, seed, name = '' } = options
    this.#options = options
    this.#reports = new ProgramReports(options.log, 'bot')
    this.#arrivals = new Random(seed, `bots:${name}`)
    this.#bots = Array.from({ length: count }, (_, i) => ({
      id: { ...(options.name === undefined ? {} : { namespace: options.name }), bot: i + 1 },
      name: `${name === '' ? '' : `${name} `}bot ${i + 1}`,
      random: new Random(seed, `bots:${name}:${i + 1}`),
      starts: 0,
      quickEnds: 0,
      process: undefined,
      isLeaving: false,
    }))
    process.once('exit', this.kill)
    for (const bot of this.#bots) this.#queue(bot)
  }

  /** Ends all bots, and waits for their end. From now on none starts. */
  async close(): Promise<void> {
    this.#stopStarting()
    for (const { process } of this.#bots) process?.stop()
    await Promise.all(this.#visits)
    process.off('exit', this.kill)
  }

  readonly kill = (): void => {
    this.#stopStarting()
    for (const { process } of this.#bots) process?.kill()
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted
  }

  #stopStarting(): void {
    this.#closing.abort()
    clearTimeout(this.#nextStart)
  }

  #queue(bot: Bot): void {
    this.#waiting.push(bot)
    this.#scheduleStart()
  }

  /** Starts the bot that waits longest, after a gap. After failures the gaps grow, so that a broken command starts seldom. */
  #scheduleStart(): void {
    if (this.#nextStart !== undefined || this.#waiting.length === 0 || this.#isClosed) return
    const gap = this.#failures === 0 ? betweenStartsMs * (0.5 + this.#arrivals.float()) : backOff(this.#failures)
    const startNext = () => {
      this.#nextStart = undefined
      this.#startedAt = performance.now()
      const bot = this.#waiting.shift()
      if (bot) {
        const visit = this.#visit(bot).finally(() => this.#visits.delete(visit))
        this.#visits.add(visit)
      }
      this.#scheduleStart()
    }
    this.#nextStart = setTimeout(startNext, Math.max(0, this.#startedAt + gap - performance.now()))
  }

  /** Lets a bot come, stay and leave. Then it waits for its next visit. */
  async #visit(bot: Bot): Promise<void> {
    bot.isLeaving = false
    const stayMs = this.#drawStay(bot)
    let played: { readonly exit: Exit; readonly ageMs: number }
    try {
      const env = await this.#options.environment(bot.random, this.#closing.signal)
      if (this.#isClosed) return
      played = await this.#play(bot, stayMs, { ...env, MOCKMAKER_BOT: String(bot.id.bot) })
    } catch (error) {
      if (this.#isClosed) return
      played = { exit: { error: error instanceof Error ? error.message : String(error) }, ageMs: 0 }
    }
    const pauseMs = this.#whenEnded(bot, played)
    bot.process = undefined
    if (this.#isClosed) return
    // The mock does not wait for bots that are away.
    setTimeout(() => this.#queue(bot), pauseMs).unref()
  }

  /** Draws how long a bot stays, in ms. Those of the first visits end at different times, as if the bots had come before. */
  #drawStay({ random, starts }: Bot): number | undefined {
    const { sessionMs } = this.#options
    if (sessionMs === undefined) return undefined
    const stayMs = drawSession({ session_ms: sessionMs }, random)
    return starts === 0 ? Math.ceil(stayMs * random.float()) : stayMs
  }

  async #play(bot: Bot, stayMs: number | undefined, env: Environment): Promise<{ exit: Exit; ageMs: number }> {
    const { command, start = startProcess } = this.#options
    const startedAt = performance.now()
    bot.starts += 1
    const process = start(command, env, line => this.#reports.addLine(bot, line), graceMs)
    bot.process = process
    const { pid } = process
    const again = bot.starts > 1 ? ' again' : ''
    this.#reports.add(bot, 'started', `started${again}, pid ${pid}`, pid === undefined ? {} : { pid })
    const leave = () => {
      bot.isLeaving = true
      process.stop()
    }
    const end = stayMs === undefined ? undefined : setTimeout(leave, stayMs)
    const settle = setTimeout(() => {
      this.#failures = 0
      this.#hasPlayed = true
    }, atOnceMs)
    const exit = await process.exited
    clearTimeout(end)
    clearTimeout(settle)
    const ageMs = performance.now() - startedAt
    await process.gone
    return { exit, ageMs }
  }

  /** Reports the end of a bot. Returns the time until it comes back, in ms. */
  #whenEnded(bot: Bot, { exit, ageMs }: { readonly exit: Exit; readonly ageMs: number }): number {
    const { code, error } = exit
    const how = exitFields(exit)
    const isAtOnce = ageMs < atOnceMs && !bot.isLeaving
    bot.quickEnds = isAtOnce ? bot.quickEnds + 1 : 0
    const { least, most } = comesBackMs
    const pauseMs = isAtOnce ? backOff(bot.quickEnds) : least + (most - least) * bot.random.float()
    if (bot.isLeaving || this.#isClosed) {
      this.#reports.add(bot, 'left', `left after ${elapsedText(ageMs)}`, how)
      return pauseMs
    }
    if (error === undefined && code === 0) {
      this.#failures = 0
      this.#hasPlayed = true
      const back = isAtOnce ? `, and comes back in ${elapsedText(pauseMs)}` : ''
      this.#reports.add(bot, 'left', `has ended after ${elapsedText(ageMs)}${back}`, how)
      return pauseMs
    }
    if (isAtOnce) {
      this.#failures += 1
      this.#postponeStart()
      if (isNotFound(exit) && !this.#hasPlayed) this.#options.onNotFound?.()
    }
    // One report is enough for a command that fails again and again.
    if (!isAtOnce || this.#failures === 1)
      this.#reports.addFailure(bot, failureText(exit, { ageMs, command: this.#options.command, isAtOnce }), how)
    return pauseMs
  }

  #postponeStart(): void {
    clearTimeout(this.#nextStart)
    this.#nextStart = undefined
    this.#scheduleStart()
  }
}

function backOff(times: number): number {
  return Math.min(backOffMs.longest, backOffMs.first * 2 ** (times - 1))
}

function failureText(
  exit: Exit,
  { ageMs, command, isAtOnce }: { readonly ageMs: number; readonly command: string; readonly isAtOnce: boolean },
): string {
  const { code, signal, error } = exit
  const later = isAtOnce
    ? '. Bots try again after longer and longer pauses. No further failure is printed until one stays 5 s or exits with code 0'
    : ''
  if (error !== undefined) return `cannot play: ${error.replace(/\.$/, '')}${later}`
  if (signal !== undefined) return `was ended by ${signal} after ${elapsedText(ageMs)}${later}`
  const notFound = isNotFound(exit) ? `. The shell found no such command. Command: ${command}` : ''
  return `crashed with exit code ${code} after ${elapsedText(ageMs)}${notFound}${later}`
}
