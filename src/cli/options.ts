import { InvalidArgumentError } from 'commander'
import { durationFormat, parseDuration } from '../contract/duration.js'

/** What `mockmaker [scenario]` was told. */
export interface ServeOptions {
  readonly port: number
  readonly host?: string
  readonly allowedHosts?: readonly string[]
  readonly corsOrigin?: readonly string[]
  readonly seed?: number
  /** In ms. */
  readonly watchTimeout?: number
  readonly json?: boolean
  readonly quiet?: boolean
}

/** A port, 0 to 65535. */
export function portArgument(text: string): number {
  return wholeNumber(text, 65_535)
}

/** A seed, 0 to 9007199254740991. */
export function seedArgument(text: string): number {
  return wholeNumber(text, Number.MAX_SAFE_INTEGER)
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

function wholeNumber(text: string, most: number): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value <= most) return value
  throw new InvalidArgumentError(`Expected a whole number from 0 to ${most}.`)
}
