import { instantOf } from '../contract/instant.js'
import { fullNameOf } from '../store/full-name.js'
import type { ReadTables } from '../store/table.js'
import type { BearerTokenEntry } from './bearer-token.js'
import type { DeviceLinkEntry } from './device-link.js'

/** All device links of a world, as its snapshot lists them. */
export function deviceLinkEntries({ deviceLinks, games }: ReadTables): DeviceLinkEntry[] {
  const game = (id: string) => games.get(id)?.name_id
  return deviceLinks.all().map((link): DeviceLinkEntry => {
    const { device_link_token: token, device_link_id, status } = link
    const names = { token, device_link_id, status }
    if (link.status === 'complete')
      return { ...names, game: game(link.game_id), cloud_token: link.cloud_token, ...expiry(link) }
    const { completes } = link
    if (!completes) return { ...names, ...expiry(link) }
    return { ...names, game: game(completes.game_id), completes_at: instantOf(completes.at), ...expiry(link) }
  })
}

/** All bearer tokens of a world, as its snapshot lists them. */
export function bearerTokenEntries(tables: ReadTables): BearerTokenEntry[] {
  return tables.tokens.all().map((row): BearerTokenEntry => {
    const { token, kind } = row
    if (row.kind === 'cloud') return { token, kind, game: tables.games.get(row.game_id)?.name_id, ...expiry(row) }
    const owner = { namespace: fullNameOf(row.namespace_id, tables) }
    const { development } = row.kind === 'development' ? row : {}
    return { token, kind, ...owner, ...(development === undefined ? {} : { development }), ...expiry(row) }
  })
}

function expiry({ expires_at }: { readonly expires_at?: number | undefined }): Pick<DeviceLinkEntry, 'expires_at'> {
  return expires_at === undefined ? {} : { expires_at: instantOf(expires_at) }
}
