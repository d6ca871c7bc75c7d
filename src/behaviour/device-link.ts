import { ApiError } from '../contract/errors.js'
import { deviceLinkPath } from '../contract/paths.js'
import { quoted } from '../lib/quote.js'
import { lobbyIdIn } from '../store/lobby-token.js'
import type { DeviceLinkRow } from '../store/rows.js'
import type { Tables } from '../store/table.js'
import type { View } from '../store/world.js'
import type { Behaviour } from './behaviour.js'

/** Begins a device link (PROTOCOL.md B8). */
export const prepareDeviceLink: Behaviour<'devices.links.prepare'> = async ({ tables }) => {
  const { device_link_id, device_link_token } = await tables.deviceLinks.create({})
  const device_link_url = `${tables.settings.get('settings')?.public_url}${deviceLinkPath}${device_link_token}`
  return { device_link_id, device_link_token, device_link_url }
}

/** Where a device link stands: its cloud token is there once a person has completed it (PROTOCOL.md B8). */
export const getDeviceLink: Behaviour<'devices.links.get'> = ({ input, ...view }) => {
  const link = findLink(input.device_link_token, view)
  return link.status === 'complete' ? { cloud_token: link.cloud_token } : {}
}

/** Completes a device link for the caller's game (PROTOCOL.md B8). */
export const completeDeviceLink: Behaviour<'devices.links.complete'> = async ({
  caller,
  input,
  tables,
  reads,
  hasPassed,
}) => {
  const { game_id } = input
  if (caller.gameId !== game_id) {
    throw new ApiError(
      'API_FORBIDDEN',
      `this cloud token is not of game ${quoted(game_id)}: send one of that game; the mock shows its tokens when it starts and on GET /, in-process as mock.tokens`,
    )
  }
  const link = findPendingLink(input.device_link_token, { tables: reads, hasPassed })
  await completeLink({ link, gameId: game_id, tables })
  return {}
}

/** Gives a pending link a new cloud token of that game. */
export async function completeLink(completion: {
  readonly link: DeviceLinkRow
  readonly gameId: string
  readonly tables: Tables
}): Promise<void> {
  const { link, gameId: game_id, tables } = completion
  const { device_link_token } = link
  const { token: cloud_token } = await tables.tokens.create({ kind: 'cloud', game_id })
  await tables.deviceLinks.update(q => q.where({ device_link_token }), {
    data(draft) {
      Object.assign(draft, { status: 'complete', game_id, cloud_token })
      Reflect.deleteProperty(draft, 'completes')
    },
  })
}

type LinkView = Pick<View, 'tables' | 'hasPassed'>

/** The pending link of a token. Throws `ApiError` where there is none, or where it has expired or is complete. */
export function findPendingLink(token: string, view: LinkView): DeviceLinkRow {
  const link = findLink(token, view)
  if (link.status === 'pending') return link
  throw new ApiError('CLOUD_DEVICE_LINK_ALREADY_COMPLETE', 'this device link is complete already: prepare a new one')
}

function findLink(token: string, { tables, hasPassed }: LinkView): DeviceLinkRow {
  const link = tables.deviceLinks.get(token)
  if (!link) throw notALink(token, tables)
  if (link.expires_at === undefined || !hasPassed(link.expires_at)) return link
  throw new ApiError('TOKEN_EXPIRED', 'this device link has expired: prepare a new one')
}

function notALink(token: string, { tokens, lobbies, players }: View['tables']): ApiError {
  const lobbyId = lobbyIdIn(token)
  const isLobby = lobbyId !== undefined && lobbies.get(lobbyId) !== undefined
  const kind = tokens.get(token)?.kind ?? (isLobby ? 'lobby' : undefined) ?? (players.get(token) && 'player')
  if (kind === undefined)
    return new ApiError('TOKEN_INVALID', 'device_link_token is unknown: POST /cloud/devices/links answers one')
  return new ApiError(
    'CLAIMS_MISSING_ENTITLEMENT',
    `device_link_token is a ${kind} token: POST /cloud/devices/links answers a device token`,
  )
}
