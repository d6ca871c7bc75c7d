import { URL } from './real-globals.js'

/** Removes the port and the brackets of a host, so that `connect` takes it: `[::1]:80` gives `::1`. */
export function connectHost(host: string): string {
  const [, address, name] = /^(?:\[(.*)\]|([^:]*))(?::\d*)?$/.exec(host) ?? []
  return address ?? name ?? host
}

const credentialsInUrl = /:\/\/[^/?#\s"'@]*@/g

/** Cuts the user and the password of each URL in a text. */
export function redactCredentials(text: string): string {
  return text.replaceAll(credentialsInUrl, '://…@')
}

/** Writes a host as in a URL: an IPv6 address in brackets. */
export function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

/** Not `URL.canParse`: after some thousand calls, that of Node 20 and 22 refuses letters such as ü. */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}
