import { header, type MockRequest } from '../../core/pipeline/message.js'
import { unknownClient, withoutMapping } from '../../core/pipeline/origin.js'

/**
 * Finds the client of a request in its `x-forwarded-for` or `forwarded`: the last address that is not a trusted proxy's. If all are,
 * that is the first one. Each proxy adds the address of its own client, and the last one is on the `connection`. If the two headers
 * name different clients, one of them may be forged, and the client is unknown. `undefined` without both headers.
 */
export function clientBehind(
  request: Pick<MockRequest, 'headers'>,
  connection: string,
  isTrusted: (address: string) => boolean,
): string | undefined {
  const [list, forwarded] = [header(request, 'x-forwarded-for'), header(request, 'forwarded')]
  const hops = [
    ...(list === undefined ? [] : [list.split(',')]),
    ...(forwarded === undefined ? [] : [hopsOf(forwarded)]),
  ]
  const [client, other] = hops.map(each => {
    const addresses = each.map(hop => withoutMapping(withoutPort(hop.trim()))).filter(hop => hop !== '')
    const all = [...addresses, connection]
    return all.findLast(address => !isTrusted(address)) ?? all[0]
  })
  return other === undefined || other.toLowerCase() === client?.toLowerCase() ? client : unknownClient
}

/** Some proxies write the port of the client too: `203.0.113.7:4711`, `[2001:db8::1]:4711`. */
function withoutPort(hop: string): string {
  return hop.replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1').replace(/^\[(.*)\](?::\d+)?$/, '$1')
}

/** A parameter of a `Forwarded` header, and what follows it. The names and the spaces are those of RFC 7239 § 4. */
const parameter = /[\t ]*(?:([\w!#$%&'*+.^`|~-]+)=(?:([\w!#$%&'*+.^`|~-]+)|"((?:[^"\\]|\\.)*)")[\t ]*)?([;,]|$)/y

/** Lists the clients of the proxies in a `Forwarded` header. A proxy that names none has `unknown`, and so has a malformed header. */
export function hopsOf(forwarded: string): readonly string[] {
  const hops: string[] = []
  let [hop, isEmpty] = [undefined as string | undefined, true]
  for (parameter.lastIndex = 0; ; ) {
    const [, name, token, quoted, end] = parameter.exec(forwarded) ?? []
    if (end === undefined) return [unknownClient]
    if (name !== undefined) isEmpty = false
    if (name?.toLowerCase() === 'for') {
      // Nobody could say which of two counts.
      if (hop !== undefined) return [unknownClient]
      hop = token ?? quoted?.replace(/\\(.)/g, '$1')
    }
    if (end === ';') continue
    if (!isEmpty) hops.push(hop || unknownClient)
    if (end === '') return hops
    hop = undefined
    isEmpty = true
  }
}
