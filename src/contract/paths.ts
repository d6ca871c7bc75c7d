/** The prefix of all paths of the control API. */
export const controlPath = '/__mock'

export function isControlPath(path: string): boolean {
  return path === controlPath || path.startsWith(`${controlPath}/`)
}

/** The page that completes a device link. The token of the link follows. */
export const deviceLinkPath = '/devices/link/'

/** The id of the world of requests that name none. */
export const defaultWorldId = 'default'

/** The ids that a world may have. */
export const worldId = { pattern: /^[A-Za-z0-9_-]{1,64}$/, expected: '1 to 64 of A-Z a-z 0-9 _ -' } as const

/** Splits the URL of a mock: `http://localhost:7350/w/test` gives the server and `test`. Returns `undefined` for other texts. */
export function worldUrl(url: string): { readonly server: string; readonly encodedId: string | undefined } | undefined {
  const [, server, , encodedId] = /^(https?:\/\/[^/].*?)(\/w\/([^/]+))?\/*$/i.exec(url) ?? []
  return server === undefined ? undefined : { server, encodedId }
}
