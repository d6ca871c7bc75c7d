/** What stands before the paths of the control API. */
export const controlPath = '/__mock'

/** Whether a path is one of the control API. */
export function isControlPath(path: string): boolean {
  return path === controlPath || path.startsWith(`${controlPath}/`)
}

/** The URL of a mock, and the world that it names, as it stands there; `undefined` for what is no URL of a mock. */
export function worldUrl(url: string): { readonly server: string; readonly encodedId: string | undefined } | undefined {
  const [, server, , encodedId] = /^(https?:\/\/[^/].*?)(\/w\/([^/]+))?\/*$/i.exec(url) ?? []
  return server === undefined ? undefined : { server, encodedId }
}

/** What may be the id of a world. */
export const worldId = { pattern: /^[A-Za-z0-9_-]{1,64}$/, expected: '1 to 64 of A-Z a-z 0-9 _ -' } as const

/** Where a device link's URL leads, with its token at the end. */
export const deviceLinkPath = '/devices/link/'
