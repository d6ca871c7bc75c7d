import { ApiError } from '../contract/errors.js'
import { deviceLinkPath } from '../contract/paths.js'
import { quoted } from '../lib/messages.js'
import type { DefaultsContext, Tables } from '../store/model.js'
import { createRow } from '../store/models.js'
import type { DeviceLinkRow } from '../store/rows.js'
import { lobbyIdIn } from '../store/tokens.js'
import type { ReadView } from '../store/world.js'
import type { Resolver } from './resolver.js'

/** Returns the settings that a cloud client needs before its first call (PROTOCOL.md C). */
export const bootstrap: Resolver<'cloud.bootstrap'> = ({ tables }) => {
  // Every world has its settings.
  const { cdn_domain: domain = '', public_url: hub = '' } = tables.settings.get('settings') ?? {}
  return {
    access: 'private',
    captcha: {},
    cluster: 'oss',
    domains: { cdn: domain, job: domain, main: domain },
    login_methods: { access_token: true, email: false },
    origins: { hub },
  }
}

/** Returns the game of a cloud token (PROTOCOL.md C). */
export const inspect: Resolver<'auth.inspect'> = ({ caller }) => ({
  agent: { game_cloud: { game_id: caller.gameId } },
})

/** Prepares a device link (PROTOCOL.md B8). */
export const prepareDeviceLink: Resolver<'devices.links.prepare'> = call => {
  const { tables, client } = call
  const { device_link_id, device_link_token } = createRow('deviceLinks', {}, call)
  const publicUrl = client.publicUrl ?? tables.settings.get('settings')?.public_url
  const device_link_url = `${publicUrl}${deviceLinkPath}${device_link_token}`
  return { device_link_id, device_link_token, device_link_url }
}

/** Returns the cloud token of a device link once a person has completed it (PROTOCOL.md B8). */
export const getDeviceLink: Resolver<'devices.links.get'> = ({ input, ...view }) => {
  const link = findLink(input.device_link_token, view)
  return link.status === 'complete' ? { cloud_token: link.cloud_token } : {}
}

/** Completes a device link for the caller's game (PROTOCOL.md B8). */
export const completeDeviceLink: Resolver<'devices.links.complete'> = call => {
  const { caller, input } = call
  const { game_id } = input
  if (caller.gameId !== game_id) {
    throw new ApiError(
      'API_FORBIDDEN',
      `this is not a cloud token of game ${quoted(game_id)}: send one of that game. The page at GET /, the key t and GET /__mock/tokens show the tokens, in-process mock.tokens`,
    )
  }
  completeLink(findPendingLink(input.device_link_token, call), game_id, call)
  return {}
}

/** Gives a pending link a new cloud token of that game. `now` in ms since the epoch. */
export function completeLink({ completes: _, ...link }: PendingLink, game_id: string, context: DefaultsContext): void {
  const { token: cloud_token } = createRow('tokens', { kind: 'cloud', game_id }, context)
  context.tables.deviceLinks.put(Object.freeze({ ...link, status: 'complete', game_id, cloud_token }))
}

type PendingLink = Extract<DeviceLinkRow, { status: 'pending' }>
type LinkView = Pick<ReadView, 'tables' | 'hasPassed'>

/** Finds the pending link of a token. Throws `ApiError` if there is none, or if it has expired or is complete. */
export function findPendingLink(token: string, view: LinkView): PendingLink {
  const link = findLink(token, view)
  if (link.status === 'pending') return link
  throw new ApiError('CLOUD_DEVICE_LINK_ALREADY_COMPLETE', 'this device link is already complete: prepare a new one')
}

function findLink(token: string, { tables, hasPassed }: LinkView): DeviceLinkRow {
  const link = tables.deviceLinks.get(token)
  if (!link) throw notALink(token, tables)
  if (link.expires_at === undefined || !hasPassed(link.expires_at)) return link
  throw new ApiError('TOKEN_EXPIRED', 'this device link has expired: prepare a new one')
}

function notALink(token: string, { tokens, lobbies, players }: Tables): ApiError {
  const lobbyId = lobbyIdIn(token)
  const isLobby = lobbyId !== undefined && lobbies.get(lobbyId) !== undefined
  const kind = tokens.get(token)?.kind ?? (isLobby ? 'lobby' : undefined) ?? (players.get(token) && 'player')
  if (kind === undefined)
    return new ApiError('TOKEN_INVALID', 'device_link_token is unknown: get one with POST /cloud/devices/links')
  return new ApiError(
    'CLAIMS_MISSING_ENTITLEMENT',
    `device_link_token is a ${kind} token: get a device token with POST /cloud/devices/links`,
  )
}
