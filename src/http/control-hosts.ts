import { BlockList, isIP } from 'node:net'
import { quoted } from '../lib/text.js'
import { UsageError } from '../lib/usage-error.js'

/** The forms of a control host, for messages. */
export const controlHostForms = 'an IP address (192.168.1.20), a network (192.168.1.0/24 or fd00::/8), or * for all'

/** Tells whether a text is an IP address, a network, or `*`. */
export function isControlHost(text: string): boolean {
  const [, address = '', bits] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const version = isIP(address.replace(/%.*/, ''))
  return text === '*' || (version !== 0 && Number(bits ?? 0) <= (version === 6 ? 128 : 32))
}

/** Returns a function that tells whether an IP address is in a list of control hosts. Throws `UsageError`. */
export function parseControlHosts(hosts: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const [at, host] of hosts.entries()) {
    if (!isControlHost(host))
      throw new UsageError(`options.controlHosts[${at}] is ${quoted(host)}: expected ${controlHostForms}`)
    if (host === '*') continue
    const [address = '', bits] = host.split('/')
    const { ip, family } = versioned(address)
    list.addSubnet(ip, Number(bits ?? (family === 'ipv6' ? 128 : 32)), family)
  }
  if (hosts.includes('*')) return () => true
  return text => {
    const { ip, family } = versioned(text)
    return list.check(ip, family)
  }
}

/** Removes the name of the interface from the address of a link: `fe80::1%eth0`. */
function versioned(address: string): { readonly ip: string; readonly family: 'ipv4' | 'ipv6' } {
  const ip = address.replace(/%.*/, '')
  return { ip, family: isIP(ip) === 6 ? 'ipv6' : 'ipv4' }
}
