import { Random } from './random.js'
import { lifetimeMs } from './time.js'

/** How only the tokens of players of development servers begin. */
const devPlayerStart = 'dev_player.mock.'

const lengths = { minute: 8, nonce: 6, check: 10 } as const
const stemLength = lengths.minute + lengths.nonce
const minuteMs = 60_000

/**
 * Mints the token of a player of a development server. No row keeps it. Like a signed token, it contains the minute when it
 * was minted, and a check that only its world can compute. `now` in ms since the epoch.
 */
export function devPlayerToken(random: Random, { seed, now }: { readonly seed: number; readonly now: number }): string {
  const minute = Math.floor(now / minuteMs)
  const stem = minute.toString(36).padStart(lengths.minute, '0') + random.letters(lengths.nonce)
  return devPlayerStart + stem + checkOf(stem, seed)
}

/** When a token expires, in ms since the epoch; `undefined` where no world with that seed minted it. */
export function devPlayerExpiry(token: string, seed: number): number | undefined {
  if (!token.startsWith(devPlayerStart)) return undefined
  const rest = token.slice(devPlayerStart.length)
  const stem = rest.slice(0, stemLength)
  if (stem.length < stemLength || rest.slice(stemLength) !== checkOf(stem, seed)) return undefined
  return Number.parseInt(stem.slice(0, lengths.minute), 36) * minuteMs + lifetimeMs.token
}

function checkOf(stem: string, seed: number): string {
  return new Random(seed, `dev_player:${stem}`).letters(lengths.check)
}
