import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { curlLineFor } from '../../../src/core/control/environment.js'
import type { ScenarioInput } from '../../../src/core/scenario/schema.js'
import { createMockmaker } from '../../../src/index.js'

const url = 'http://127.0.0.1:4100'
const tanks = '11111111-1111-4111-8111-111111111111'

/** Returns the words that a shell passes to curl. */
function words(line: string): string[] {
  const script = `curl() { printf '%s\\n' "$@"; }\n${line}`
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).trimEnd().split('\n')
}

function lineFor(kind: 'public' | 'development' | 'cloud', scenario?: ScenarioInput): string {
  const mock = createMockmaker({ scenario })
  const token = mock.tokens.find(candidate => candidate.kind === kind)
  if (!token) throw new Error(`no ${kind} token`)
  return curlLineFor(token, { url, world: mock.world })
}

describe('a line of curl', () => {
  it('validates names with a cloud token if no device link is pending', () => {
    const scenario = {
      clock: 'frozen',
      games: [{ name_id: 'tanks', game_id: tanks, tokens: { cloud: 'cloud.mock.tanks' } }],
      device_links: [
        { token: 'device.mock.old', expires_after: '0ms' },
        { token: 'device.mock.done', status: 'complete' },
      ],
    } satisfies ScenarioInput

    const [, , , body = '', address] = words(lineFor('cloud', scenario))

    expect(address).toBe(`${url}/cloud/games/${tanks}/namespaces/validate`)
    expect(JSON.parse(body)).toEqual({ display_name: 'Beta', name_id: 'beta' })
  })

  it('quotes characters that a shell interprets', () => {
    const token = `pub.mock.'$(id)"\`;#`

    const [, authorization] = words(lineFor('public', { tokens: { public: token } }))

    expect(authorization).toBe(`Authorization: Bearer ${token}`)
  })
})
