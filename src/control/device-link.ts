import { completeLink, findPendingLink } from '../behaviour/device-link.js'
import { ApiError } from '../contract/errors.js'
import { didYouMean } from '../lib/did-you-mean.js'
import { parseInput } from '../lib/issues.js'
import { quoted } from '../lib/quote.js'
import { UsageError } from '../lib/usage-error.js'
import { hasPassed } from '../store/clock.js'
import type { ReadTables } from '../store/table.js'
import type { LiveWorld, World } from '../store/world.js'
import { gameCalled } from './game-called.js'
import { CompletionSchema } from './options.js'
import type { CompletionOptions } from './steering.js'

/** Completes a pending device link, without a cloud token. Rejects with `ApiError`, and with `UsageError` for a game that is none. */
export async function completeDeviceLink(
  world: LiveWorld,
  { token, ...options }: CompletionOptions & { readonly token: string },
): Promise<void> {
  const { game } = parseInput(CompletionSchema, options, 'completion')
  return world.write(async (tables, { reads }) => {
    const link = findPendingLink(token, { tables: reads, hasPassed: at => hasPassed(at, world.clock) })
    await completeLink({ link, gameId: gameIdOf(game, tables), tables })
  })
}

/** Has a device link expire now; one that has expired already is left as it is. Rejects with `ApiError` where there is none. */
export async function expireDeviceLink(world: World, token: string): Promise<void> {
  await world.write(async tables => {
    const now = world.clock.now()
    const link = tables.deviceLinks.get(token)
    if (!link)
      throw new ApiError(
        'API_NOT_FOUND',
        `there is no device link ${quoted(token)}: GET /__mock/device-links lists them`,
      )
    if (hasPassed(link.expires_at, world.clock)) return
    await tables.deviceLinks.update(q => q.where({ device_link_token: token }), {
      data: draft => void Object.assign(draft, { expires_at: now }),
    })
  })
}

function gameIdOf(game: string | undefined, { games }: ReadTables): string {
  if (game !== undefined) return gameCalled(game, { games }).game_id
  const [only, ...others] = games.all()
  if (only && others.length === 0) return only.game_id
  const known = games.all().map(({ name_id }) => name_id)
  throw new UsageError(`game is missing, and there is not one alone.${didYouMean('', known)}`)
}
