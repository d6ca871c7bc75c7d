import { completeLink, findPendingLink } from '../behaviour/device-link.js'
import { ApiError } from '../contract/error.js'
import { quoted } from '../contract/issue.js'
import { knownChoices } from '../contract/nearest.js'
import { shaped } from '../contract/shaped.js'
import { hasPassed } from '../store/clock.js'
import type { ReadTables } from '../store/table.js'
import type { World } from '../store/world.js'
import { CompletionSchema } from './options.js'
import type { CompletionOptions } from './steering.js'

/** Completes a pending device link, without a cloud token. Rejects with `ApiError`. */
export async function completeDeviceLink(
  world: World,
  { token, ...options }: CompletionOptions & { readonly token: string },
): Promise<void> {
  const { game } = shaped(options, { schema: CompletionSchema, what: 'completion' })
  return world.write(async tables => {
    const link = findPendingLink(token, { tables, hasPassed: at => hasPassed(at, world.clock) })
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
  const all = games.all()
  const [only, ...others] = all
  const meant =
    game === undefined && others.length === 0 ? only : all.find(row => row.game_id === game || row.name_id === game)
  if (meant) return meant.game_id
  const known = all.map(row => row.name_id)
  const what =
    game === undefined ? 'game is missing, and there is more than one' : `game is ${quoted(game)}, which none is`
  throw new ApiError('API_BAD_BODY', `${what}.${knownChoices(game ?? '', known)}`)
}
