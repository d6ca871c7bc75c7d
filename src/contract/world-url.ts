/** The URL of a mock, and the world that it names, as it stands there; `undefined` for what is no URL of a mock. */
export function worldUrl(url: string): { readonly server: string; readonly encodedId: string | undefined } | undefined {
  const [, server, , encodedId] = /^(https?:\/\/[^/].*?)(\/w\/([^/]+))?\/*$/i.exec(url) ?? []
  return server === undefined ? undefined : { server, encodedId }
}
