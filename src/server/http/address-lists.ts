import { BlockList, isIP } from 'node:net'
import { quoted } from '../../core/lib/text.js'
import { UsageError } from '../../core/lib/usage-error.js'

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
