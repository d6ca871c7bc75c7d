/** Writes a host as in a URL: an IPv6 address in brackets. */
export function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

/**
 * Returns the URL, or `undefined` if the text is none. `URL.canParse` cannot be used: after some thousand calls, that of Node 20
 * and 22 refuses letters such as ü.
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}
