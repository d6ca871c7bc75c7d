import { InvalidArgumentError } from 'commander'
import { durationFormat, parseDuration } from '../lib/time.js'

/** What the commands that make a mock were told of it. */
export interface MockFlags {
  readonly host?: string
  readonly allowedHosts?: readonly string[]
  readonly corsOrigin?: readonly string[]
  readonly seed?: number
  /** Whether players come and go in each namespace. */
  readonly live?: boolean
  /** In ms. */
  readonly watchTimeout?: number
  readonly maxWorlds?: number
  /** In ms. */
  readonly worldTtl?: number
  /** How many exchanges are kept. */
  readonly journal?: number
  /** Whether the control API is there. Default: it is. */
  readonly control?: boolean
}

/** What `mockmaker [scenario]` was told. */
export interface ServeOptions extends MockFlags {
  readonly port: number
  readonly json?: boolean
  readonly quiet?: boolean
  /** Whether the scenario file is loaded anew when it is saved. Default: it is. */
  readonly reload?: boolean
}

/** A port, 0 to 65535. */
export function portArgument(text: string): number {
  return wholeNumber(text, { most: 65_535 })
}

/** A seed, 0 to 9007199254740991. */
export function seedArgument(text: string): number {
  return wholeNumber(text)
}

/** How many worlds there may be, 1 to 9007199254740991. */
export function worldsArgument(text: string): number {
  return wholeNumber(text, { least: 1 })
}

/** How many exchanges are kept, 0 to 9007199254740991. */
export function journalArgument(text: string): number {
  return wholeNumber(text)
}

/** The URL of a world, without a slash at its end. */
export function urlArgument(text: string): string {
  const isUrl = /^https?:\/\//i.test(text) && URL.canParse(text)
  if (!isUrl) throw new InvalidArgumentError('Expected a URL, as in http://127.0.0.1:4100.')
  return text.replace(/\/+$/, '')
}

/** An address or a name. An empty one, as of a variable that is not set, would mean every address. */
export function hostArgument(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('Expected an address or a name.')
  return text
}

/** Milliseconds of a duration such as `40s`. */
export function durationArgument(text: string): number {
  const ms = parseDuration(text)
  if (ms === undefined) throw new InvalidArgumentError(`Expected ${durationFormat}.`)
  return ms
}

/** Values of a flag that may be repeated, or hold several with commas between. */
export function listArgument(text: string, before: readonly string[] = []): string[] {
  const values = text.split(',').map(value => value.trim())
  return [...before, ...values.filter(value => value !== '')]
}

function wholeNumber(text: string, { least = 0, most = Number.MAX_SAFE_INTEGER } = {}): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= least && value <= most) return value
  throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`)
}
