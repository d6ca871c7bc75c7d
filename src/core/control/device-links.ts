import * as z from 'zod'
import { ApiError } from '../contract/errors.js'
import type * as types from '../generated/options.js'
import { parseInput } from '../lib/issues.js'
import { didYouMean, quoted, UsageError } from '../lib/messages.js'
import { lazyObject } from '../lib/schemas.js'
import { completeLink, findPendingLink } from '../operations/auth.js'
import { findGame } from '../store/namespaces.js'
import type { ReadTables } from '../store/table-calls.js'
import type { LiveWorld } from '../store/world.js'

export const CompletionOptions = lazyObject(() => ({
  /** The game to complete the link for, by its id or its `name_id`. Default: the only one. */
  game: z.string().optional(),
}))
/** Options of `completeDeviceLink`. */
export type CompletionOptions = types.CompletionOptions

export function completeDeviceLink(world: LiveWorld, token: string, options: CompletionOptions = {}): void {
  if (typeof token !== 'string')
    throw new UsageError(`completeDeviceLink: the token is ${quoted(token)}: expected the token of a device link`)
  const { game } = parseInput(CompletionOptions(), options, 'completion')
  world.write(
    () => {
      const { tables, random, clock } = world
      completeLink(findPendingLink(token, world), gameIdOf(game, tables), { tables, random, now: clock.now() })
    },
    { cause: { kind: 'control', call: 'completeDeviceLink' } },
  )
}

/** Expires a link now, unless it has already expired. */
export function expireDeviceLink(world: LiveWorld, token: string): void {
  const { deviceLinks } = world.tables
  const write = () => {
    const link = deviceLinks.get(token)
    if (!link)
      throw new ApiError(
        'API_NOT_FOUND',
        `there is no device link ${quoted(token)}: GET /__mock/device-links lists the links`,
      )
    const now = world.clock.now()
    if (link.expires_at === undefined || link.expires_at > now)
      deviceLinks.put(Object.freeze({ ...link, expires_at: now }))
  }
  world.write(write, { cause: { kind: 'control', call: 'expireDeviceLink' } })
}

function gameIdOf(game: string | undefined, { games }: ReadTables): string {
  if (game !== undefined) return findGame(game, { games }).game_id
  const [only, ...others] = games.all()
  if (only && others.length === 0) return only.game_id
  const known = games.all().map(({ name_id }) => name_id)
  throw new UsageError(`game is missing, but the world does not have exactly one game.${didYouMean('', known)}`)
}
