import * as z from 'zod'
import { completeLink, findPendingLink } from '../behaviour/device-link.js'
import { ApiError } from '../contract/errors.js'
import { didYouMean } from '../lib/did-you-mean.js'
import { parseInput } from '../lib/issues.js'
import { quoted } from '../lib/quote.js'
import { UsageError } from '../lib/usage-error.js'
import { hasPassed } from '../store/clock.js'
import type { ReadTables } from '../store/table.js'
import type { LiveWorld, World } from '../store/world.js'
import { findGame } from './find-by-name.js'

export const CompletionOptions = z.strictObject({
  /** The game to complete the link for, by its id or its `name_id`. Default: the only one. */
  game: z.string().optional(),
})
export type CompletionOptions = z.output<typeof CompletionOptions>

/** Completes a pending link without a cloud token. Rejects with `ApiError`, and with `UsageError` for an unknown game. */
export async function completeDeviceLink(
  world: LiveWorld,
  token: string,
  options: CompletionOptions = {},
): Promise<void> {
  const { game } = parseInput(CompletionOptions, options, 'completion')
  return world.write(async (tables, { reads }) => {
    const link = findPendingLink(token, { tables: reads, hasPassed: at => hasPassed(at, world.clock) })
    await completeLink({ link, gameId: gameIdOf(game, tables), tables })
  })
}

/** Lets a link expire now, if it has not yet. Rejects with `ApiError` for an unknown link. */
export async function expireDeviceLink(world: World, token: string): Promise<void> {
  await world.write(async tables => {
    const link = tables.deviceLinks.get(token)
    if (!link)
      throw new ApiError(
        'API_NOT_FOUND',
        `there is no device link ${quoted(token)}: GET /__mock/device-links lists them`,
      )
    if (hasPassed(link.expires_at, world.clock)) return
    const expires_at = world.clock.now()
    await tables.deviceLinks.update(q => q.where({ device_link_token: token }), {
      data: draft => void Object.assign(draft, { expires_at }),
    })
  })
}

function gameIdOf(game: string | undefined, { games }: ReadTables): string {
  if (game !== undefined) return findGame(game, { games }).game_id
  const [only, ...others] = games.all()
  if (only && others.length === 0) return only.game_id
  const known = games.all().map(({ name_id }) => name_id)
  throw new UsageError(`game is missing, and there is not one alone.${didYouMean('', known)}`)
}
