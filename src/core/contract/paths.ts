/** The prefix of all paths of the control API. */
export const controlPath = '/__mock'

export function isControlPath(path: string): boolean {
  return path === controlPath || path.startsWith(`${controlPath}/`)
}

/** The path of the readiness probe: see `Mock.notReady`. */
export const readinessPath = '/healthz'

/** The page that completes a device link. The token of the link follows. */
export const deviceLinkPath = '/devices/link/'

/** The id of the world of requests that name none. */
export const defaultWorldId = 'default'

/** The ids that a world may have. */
export const worldId = { pattern: /^[A-Za-z0-9_-]{1,64}$/, expected: '1 to 64 of A-Z a-z 0-9 _ -' } as const

const worldPrefix = '/w/'

/** Returns the prefix of all paths of a world: `/w/{id}`, or nothing for the default world. */
export function worldPath(id: string): string {
  return id === defaultWorldId ? '' : `${worldPrefix}${id}`
}

/** Splits a path into its world and the rest: `/w/test-42/x` gives `/w/test-42`, `test-42` and `/x`. */
export function splitWorldPath(path: string): {
  readonly basePath: string
  /** `undefined` if the path names no world. */
  readonly encodedId: string | undefined
  readonly path: string
} {
  if (!path.startsWith(worldPrefix)) return { basePath: '', encodedId: undefined, path: path || '/' }
  const slash = path.indexOf('/', worldPrefix.length)
  const end = slash === -1 ? path.length : slash
  const encodedId = path.slice(worldPrefix.length, end)
  return { basePath: path.slice(0, end), encodedId, path: path.slice(end) || '/' }
}

/** Removes the world from a path: `/w/test-42/x` becomes `/x`. */
export function pathInWorld(path: string): string {
  return splitWorldPath(path).path
}

/** Splits the URL of a mock: `http://localhost:7350/w/test` gives the server and `test`. Returns `undefined` for other texts. */
export function splitWorldUrl(
  url: string,
): { readonly server: string; readonly encodedId: string | undefined } | undefined {
  const [, server, , encodedId] = /^(https?:\/\/[^/].*?)(\/w\/([^/]+))?\/*$/i.exec(url) ?? []
  return server === undefined ? undefined : { server, encodedId }
}

/** Decodes a segment of a path. Returns it unchanged if its percent-encoding is broken. */
export function decodeSegment(segment: string): string {
  // Most segments have nothing to decode.
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
