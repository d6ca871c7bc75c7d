import { networkInterfaces } from 'node:os'
import { isLoopbackHost } from '../server/origin.js'

/** What to warn of where a host is more than this machine's own, and where others find it; `undefined` for loopback. */
export function exposureOf({ host, port }: { readonly host: string; readonly port: number }): string | undefined {
  if (isLoopbackHost(host.includes(':') ? `[${host}]` : host)) return undefined
  const warning = `warning: on ${host} everyone who reaches this machine reaches the mock, its tokens included`
  const urls = host === '0.0.0.0' || host === '::' ? addresses().map(address => `http://${address}:${port}`) : []
  return [warning, ...urls.map(url => `  ${url}`)].join('\n')
}

/** The IPv4 addresses of this machine by which others reach it. */
function addresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap(infos => infos ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address)
}
