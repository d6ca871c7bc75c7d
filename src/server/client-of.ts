import type { Client } from '../behaviour/client.js'
import { header, type MockRequest } from './message.js'

const loopback = '127.0.0.1'

/** The longest address that is told from others. */
const longestAddress = 64

/** Where a request comes from: the first address of `x-forwarded-for`, else that of its connection (PROTOCOL.md B6). */
export function clientOf(request: MockRequest): Client {
  const [first = ''] = (header(request, 'x-forwarded-for') ?? '').split(',', 1)
  const forwarded = first.trim().slice(0, longestAddress)
  if (forwarded !== '') return { address: forwarded, isLocal: false }
  // One of IPv4 on a socket of IPv6.
  const address = (request.address ?? loopback).replace(/^::ffff:(?=\d+\.)/i, '')
  return { address, isLocal: address === '::1' || address.startsWith('127.') }
}
