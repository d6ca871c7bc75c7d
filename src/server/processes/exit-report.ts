import { counted } from '../../core/lib/messages.js'
import { elapsedText } from '../../core/lib/time.js'
import type { Exit } from './server-process.js'

// Says in one line how a game server ended, and finds the part of its output that explains it.

const notFoundCodes: readonly (number | undefined)[] = [127, 9009]

/** Tells whether the shell found no such command. */
export const isNotFound = ({ code }: Exit): boolean => notFoundCodes.includes(code)

export function exitFields({ code, signal }: Exit): { readonly exit_code?: number; readonly signal?: string } {
  return { ...(code !== undefined && { exit_code: code }), ...(signal !== undefined && { signal }) }
}

/** Describes an end: `crashed with exit code 1, after 210 ms`. `ms` is the age of the process. Default: no age. */
export function describeEnd(exit: Exit, ms?: number): string {
  const { code, signal, error } = exit
  if (error !== undefined) return `could not start: ${error}`
  if (isNotFound(exit)) return 'could not start: the shell found no such command'
  const after = ms === undefined ? '' : `, after ${elapsedText(ms)}`
  if (signal !== undefined) return `was ended by ${signal}${after}`
  return `${code === 0 ? 'ended by itself' : 'crashed'} with exit code ${code}${after}`
}

interface Ended {
  readonly exit: Exit
  readonly command: string
  readonly ageMs: number
  readonly wasReady: boolean
  readonly wasKilled?: boolean
  /** Seats of its lobby. */
  readonly players: number
}

/** Describes the end of a process, without its output. It is no failure if a ready server exits with 0. */
export function describeExit(ended: Ended): { text: string; isFailure: boolean } {
  const { exit, command, ageMs, wasReady, wasKilled = false, players } = ended
  const { code, signal, error } = exit
  const stops = 'so its lobby has stopped'
  if (error !== undefined)
    return { text: `its game server could not start: ${error}, ${stops}. Command: ${command}`, isFailure: true }
  const after = `after ${elapsedText(ageMs)}`
  if (wasKilled)
    return {
      text: `its game server was killed ${after}, because a control call asked for it, ${stops}`,
      isFailure: false,
    }
  if (signal !== undefined)
    return { text: `its game server was ended by ${signal} ${after}, ${stops}`, isFailure: true }
  if (code === 0 && wasReady) {
    const left = players === 0 ? '' : `, with ${counted(players, 'player', 'players')}`
    return { text: `its game server has ended ${after}${left}, ${stops}`, isFailure: false }
  }
  if (code === 0)
    return {
      text: `its game server ended ${after}, before it called POST /matchmaker/lobbies/ready, ${stops}`,
      isFailure: true,
    }
  const crash = `its game server crashed with exit code ${code} ${after}, ${stops}`
  if (!isNotFound(exit)) return { text: crash, isFailure: true }
  return { text: `${crash}. The shell found no such command. Command: ${command}`, isFailure: true }
}

/** The most lines of a tail. Of a longer one, the middle is left out. */
export const longestTail = 20
const plainTail = 5

/** A line that begins the report of an error, in the usual languages and engines. */
const errorStart =
  /^(?!\s|Caused by\b|Emitted 'error' event\b).*(?:error\b|exception\b|traceback \(|panic|\bfatal\b|terminate called|segmentation fault|assertion failed|\bunhandled\b)/i

/** Returns the index at which the tail of an output begins: the first line of its last error. Without an error, it has five lines. */
export function tailStart(lines: readonly string[]): number {
  const last = lines.findLastIndex(line => errorStart.test(line))
  if (last === -1) return Math.max(0, lines.length - plainTail)
  return tracebackOf(lines, last) ?? last
}

/** Returns the tail of an output. Of a long one, the middle is left out. */
export function tailOf(lines: readonly string[]): readonly string[] {
  const tail = lines.slice(tailStart(lines))
  if (tail.length <= longestTail) return tail
  const half = longestTail / 2
  return [...tail.slice(0, half), `… ${counted(tail.length - longestTail, 'line', 'lines')}`, ...tail.slice(-half)]
}

/** Lines that Node prints after the report of an error. They do not name it. */
const nodeTrailer = /^(?:Node\.js v|\(Use `node )/

/** Returns the line that names the last error of an output. Without an error, it is the last line. */
export function errorLineOf(output: string): string {
  const lines = output.split('\n').map(line => line.trimEnd())
  const named = lines.filter(line => line !== '' && !nodeTrailer.test(line))
  const error = named.findLast(line => errorStart.test(line))
  // Python names the error after its stack, and not each name of an error has the word.
  return (error?.startsWith('Traceback (') ? undefined : error) ?? named.at(-1) ?? ''
}

/** Python names the error after its stack. Returns the index of the line before that stack. */
function tracebackOf(lines: readonly string[], at: number): number | undefined {
  const before = lines.slice(0, at).findLastIndex(line => !/^\s/.test(line))
  return lines[before]?.startsWith('Traceback (') ? before : undefined
}
