import type { NamespaceRow } from '../store/rows.js'
import type { ReadTables } from '../store/table.js'

/** The host name of an Origin header; `undefined` for `null` and what is no URL. */
function originHost(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).hostname || undefined : undefined
}

/**
 * The namespace whose page an Origin is: a domain that a namespace lists, `{game}.{cdn}` (namespace `prod`) or
 * `{game}--{namespace}.{cdn}`, with any scheme and port (PROTOCOL.md B3).
 */
export function namespaceOfOrigin(
  origin: string,
  { games, namespaces, settings }: ReadTables,
): NamespaceRow | undefined {
  const host = originHost(origin)
  if (host === undefined) return undefined
  const listed = namespaces.findFirst(q => q.where(namespace => namespace.domains.includes(host)))
  const cdn = `.${settings.get('settings')?.cdn_domain}`
  if (listed || !host.endsWith(cdn)) return listed
  const [gameName = '', name_id = 'prod', more] = host.slice(0, -cdn.length).split('--')
  if (more !== undefined) return undefined
  const game = games.findFirst(q => q.where({ name_id: gameName }))
  return game && namespaces.findFirst(q => q.where({ game_id: game.game_id, name_id }))
}

/** Whether an origin is this machine: `localhost`, `*.localhost`, 127.0.0.0/8 or `[::1]`, with any scheme and port. */
export function isLoopbackOrigin(origin: string): boolean {
  return isLoopbackHost(originHost(origin) ?? '')
}

/** Whether a host name, without its port, is this machine. */
export function isLoopbackHost(host: string): boolean {
  return /^([\w-]+\.)*localhost$|^127\.\d+\.\d+\.\d+$|^\[::1\]$/i.test(host)
}
