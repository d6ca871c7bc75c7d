import { BlockList, isIP } from 'node:net'
import { quoted, UsageError } from '../../core/lib/messages.js'

/** The forms of a trusted proxy, for messages. */
export const proxyForms =
  'an IP address (192.168.1.20) or a network (192.168.1.0/24 or fd00::/8), at most as large as 10.0.0.0/8 or fc00::/7: with all addresses, every client could choose its own'

/** The forms of a control host, for messages. */
export const controlHostForms = 'an IP address (192.168.1.20), a network (192.168.1.0/24 or fd00::/8), or * for all'

function networkOf(text: string): { readonly version: 4 | 6; readonly bits: number } | undefined {
  const [, address = '', written] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const version = isIP(address.replace(/%.*/, ''))
  if (version !== 4 && version !== 6) return undefined
  const longest = version === 6 ? 128 : 32
  const bits = Number(written ?? longest)
  return bits <= longest ? { version, bits } : undefined
}

/** The shortest prefix of a network of proxies, in bits: that of the largest private networks. */
const leastBits = { 4: 8, 6: 7 }

/** Tells whether a text is the IP address of a proxy, or a network of proxies. */
export function isProxy(text: string): boolean {
  const network = networkOf(text)
  if (!network || network.bits < leastBits[network.version]) return false
  // A network of IPv6 with a longer prefix may have all IPv4 addresses: ::ffff:0:0/96.
  return network.version === 4 || !['8.8.8.8', '200.1.1.1'].some(matcherOf([text]))
}

/** Tells whether a text is an IP address, a network, or `*`. */
export function isControlHost(text: string): boolean {
  return text === '*' || networkOf(text) !== undefined
}

/** Returns a function that tells whether an IP address is in a list of control hosts. Throws `UsageError`. */
export function parseControlHosts(hosts: readonly string[]): (address: string) => boolean {
  checkEach('controlHosts', hosts, { isRight: isControlHost, expected: controlHostForms })
  if (hosts.includes('*')) return () => true
  return matcherOf(hosts)
}

/** Returns a function that tells whether an IP address is that of a trusted proxy. Throws `UsageError`. */
export function parseProxies(proxies: readonly string[]): (address: string) => boolean {
  checkEach('trustProxy', proxies, { isRight: isProxy, expected: proxyForms })
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

function versioned(address: string): { readonly ip: string; readonly family: 'ipv4' | 'ipv6' } {
  const ip = address.replace(/%.*/, '')
  return { ip, family: isIP(ip) === 6 ? 'ipv6' : 'ipv4' }
}
