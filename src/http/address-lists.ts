import { BlockList, isIP } from 'node:net'
import { quoted } from '../lib/text.js'
import { UsageError } from '../lib/usage-error.js'
import { withoutMapping } from '../server/origin.js'

/** The forms of the addresses in a list, for messages. */
export const addressForms = 'an IP address (192.168.1.20) or a network (192.168.1.0/24 or fd00::/8)'

/** The forms of a control host, for messages. */
export const controlHostForms = 'an IP address (192.168.1.20), a network (192.168.1.0/24 or fd00::/8), or * for all'

/** Tells whether a text is an IP address or a network. */
export function isAddressOrNetwork(text: string): boolean {
  const [, address = '', bits] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const version = isIP(address.replace(/%.*/, ''))
  return version !== 0 && Number(bits ?? 0) <= (version === 6 ? 128 : 32)
}

/** Tells whether a text is an IP address, a network, or `*`. */
export function isControlHost(text: string): boolean {
  return text === '*' || isAddressOrNetwork(text)
}

/** Returns a function that tells whether an IP address is in a list of control hosts. Throws `UsageError`. */
export function parseControlHosts(hosts: readonly string[]): (address: string) => boolean {
  checkEach('controlHosts', hosts, { isRight: isControlHost, expected: controlHostForms })
  if (hosts.includes('*')) return () => true
  return matcherOf(hosts)
}

/** Returns a function that tells whether an IP address is that of a trusted proxy. Throws `UsageError`. */
export function parseProxies(proxies: readonly string[]): (address: string) => boolean {
  // With `*`, every client could choose its address.
  checkEach('trustProxy', proxies, { isRight: isAddressOrNetwork, expected: addressForms })
  return matcherOf(proxies)
}

function checkEach(
  option: string,
  values: readonly string[],
  { isRight, expected }: { isRight(text: string): boolean; readonly expected: string },
): void {
  for (const [at, value] of values.entries())
    if (!isRight(value)) throw new UsageError(`options.${option}[${at}] is ${quoted(value)}: expected ${expected}`)
}

function matcherOf(addresses: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const each of addresses) {
    const [address = '', bits] = each.split('/')
    const { ip, family } = versioned(address)
    list.addSubnet(ip, Number(bits ?? (family === 'ipv6' ? 128 : 32)), family)
  }
  return text => {
    const { ip, family } = versioned(text)
    // A proxy may also write a name, or `unknown`.
    return isIP(ip) !== 0 && list.check(ip, family)
  }
}

/** Removes the name of the interface from the address of a link: `fe80::1%eth0`. */
function versioned(address: string): { readonly ip: string; readonly family: 'ipv4' | 'ipv6' } {
  const ip = address.replace(/%.*/, '')
  return { ip, family: isIP(ip) === 6 ? 'ipv6' : 'ipv4' }
}

/**
 * Finds the client of a request in its `x-forwarded-for`: the last address that is not a trusted proxy's. If all are, that is the
 * first one. Each proxy adds the address of its own client, and the last one is on the `connection`.
 */
export function clientBehind(
  forwardedFor: string,
  connection: string,
  isTrusted: (address: string) => boolean,
): string {
  const hops = forwardedFor.split(',').map(hop => withoutMapping(withoutPort(hop.trim())))
  const addresses = [...hops.filter(hop => hop !== ''), connection]
  return addresses.findLast(address => !isTrusted(address)) ?? addresses[0] ?? connection
}

/** Some proxies write the port of the client too: `203.0.113.7:4711`, `[2001:db8::1]:4711`. */
function withoutPort(hop: string): string {
  return hop.replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1').replace(/^\[(.*)\](?::\d+)?$/, '$1')
}
