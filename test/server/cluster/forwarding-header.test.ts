import { expect, it } from 'vitest'
import { ForwardingHeader } from '../../../src/server/cluster/forwarding-header.js'

it.each(['garbage', '', 'bnVsbA'])('a forwarding header with the secret, and %j for facts, counts as none', facts => {
  expect(new ForwardingHeader('secret').read(`secret ${facts}`)).toBeUndefined()
})
