import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { operations } from '../../../src/core/contract/index.js'
import type { ScenarioInput } from '../../../src/core/scenario/schema.js'
import { createMockmaker, type Mockmaker } from '../../../src/index.js'
import { page } from './pages.js'

const tanks = '11111111-1111-4111-8111-111111111111'
const karts = '33333333-3333-4333-8333-333333333333'

/** Two games, and a link with each state. */
const scenario = {
  clock: 'frozen',
  games: [
    { name_id: 'tanks', display_name: 'Tanks & <Co>', game_id: tanks, tokens: { cloud: 'cloud.mock.tanks' } },
    { name_id: 'karts', display_name: 'Karts', game_id: karts, tokens: { cloud: 'cloud.mock.karts' } },
  ],
  device_links: [
    { token: 'device.mock.sofa' },
    { token: 'device.mock.desk', status: 'complete', game: 'tanks' },
    { token: 'device.mock.attic', expires_after: '1h' },
    { token: `device.mock.<b>'"&` },
    { token: 'device.mock.a/b' },
  ],
} satisfies ScenarioInput

/** Returns the page of a device link. */
const linkPage = (token: string, mock: Mockmaker = createMockmaker({ scenario })) =>
  page(`/devices/link/${encodeURIComponent(token)}`, { mock })

const stateIn = (body: string) => /<p class="state" data-state="(\w+)">/.exec(body)?.[1]

/** Returns the data of the buttons, as the page's script reads them. */
function buttonsIn(body: string) {
  const data = /<button [^>]*data-game-id="([^"]*)" data-game-name="([^"]*)">([^<]*)<\/button>/g
  return [...body.matchAll(data)].map(([, gameId = '', gameName, text]) => ({ gameId, gameName, text }))
}

describe('the page of a pending device link', () => {
  it('shows the link and its state', () => {
    const { status, body } = linkPage('device.mock.sofa')

    expect({ status, state: stateIn(body) }).toEqual({ status: 200, state: 'pending' })
    expect(body).toContain('<main data-link="device.mock.sofa" data-state="pending">')
    expect(body).toContain('<p class="address">device.mock.sofa</p>')
  })

  it('has a button for each game, and no cloud token', () => {
    expect(buttonsIn(linkPage('device.mock.sofa').body)).toEqual([
      { gameId: tanks, gameName: 'Tanks &amp; &lt;Co&gt;', text: 'Tanks &amp; &lt;Co&gt;' },
      { gameId: karts, gameName: 'Karts', text: 'Karts' },
    ])
  })

  it('says that a game has no cloud token', () => {
    const mock = createMockmaker({ scenario })
    const rest = mock.tokens.filter(token => token.kind !== 'cloud' || token.game !== 'karts')

    const { body } = page('/devices/link/device.mock.sofa', { mock, tokens: rest })

    expect(buttonsIn(body).map(({ gameId }) => gameId)).toEqual([tanks])
    expect(body).toContain('Karts has no cloud token in this scenario')
  })

  it.each(['/devices/link/device.mock.sofa', '/mounted/deep/devices/link/a%2Fb'])(
    'watches by the documented operation from %s, and posts to itself, wherever the mock is mounted',
    path => {
      const script = readFileSync('src/dashboard/device-link/main.ts', 'utf8')
      const addresses = [...script.matchAll(/call\(['`]([^'`?]*)/g)].map(([, address = '']) => address)

      const paths = addresses.map(address => new URL(address, `http://127.0.0.1:4100${path}`).pathname)

      const mountedAt = path.slice(0, path.indexOf('/devices/link'))
      expect(paths).toEqual([mountedAt + operations['devices.links.get'].path])
      expect(script).toContain('call(location.pathname,')
    },
  )

  it('shows which device waits, and until when', () => {
    const text = (token: string) => linkPage(token).body.replaceAll(/<[^>]*>/g, '')

    expect(text('device.mock.sofa')).toMatch(/The device that shows device\.mock\.sofa waits for a cloud token\./)
    expect(text('device.mock.sofa')).toMatch(/^It does not expire\.$/m)
    expect(text('device.mock.attic')).toMatch(
      /It expires at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, in 60 minutes, on the clock of the mock\./,
    )
  })

  it('disables its buttons until its script runs', () => {
    const buttons = linkPage('device.mock.sofa').body.match(/<button [^>]*>/g) ?? []

    expect(buttons.map(button => / disabled /.test(button))).toEqual([true, true])
  })

  it.each([
    [`device.mock.<b>'"&`, 'device.mock.&lt;b&gt;&#39;&quot;&amp;'],
    ['device.mock.a/b', 'device.mock.a/b'],
  ])('escapes the token %s', (token, escaped) => {
    const { status, body } = linkPage(token)

    expect(status).toBe(200)
    expect(body).not.toContain('<b>')
    expect(body).toContain(`data-link="${escaped}"`)
  })

  it('says what to do without JavaScript', () => {
    expect(linkPage('device.mock.sofa').body).toContain('POST /cloud/devices/links/complete')
  })
})

describe('the page of a device link that is not pending', () => {
  it('shows the game of a complete link, without its token or a button', () => {
    const { status, body } = linkPage('device.mock.desk')

    expect({ status, state: stateIn(body) }).toEqual({ status: 200, state: 'complete' })
    expect(body).toContain('a cloud token of Tanks &amp; &lt;Co&gt;.')
    expect(body).not.toMatch(/<button|cloud\.mock/)
  })

  it('shows that the link has expired', async () => {
    const mock = createMockmaker({ scenario })
    const before = stateIn(linkPage('device.mock.attic', mock).body)

    await mock.world.clock.advance(3_600_000)

    expect([before, stateIn(linkPage('device.mock.attic', mock).body)]).toEqual(['pending', 'expired'])
    expect(linkPage('device.mock.attic', mock).body).not.toContain('<button')
    expect(linkPage('device.mock.attic', mock).body).toMatch(/The link expired at <time datetime="[^"]+">/)
  })
})

describe('the page of an unknown device link', () => {
  it.each(['nobody', 'cloud.mock.tanks', '__proto__'])('is 404 for %s', token => {
    const { status, body } = linkPage(token)

    expect({ status, state: stateIn(body) }).toEqual({ status: 404, state: 'unknown' })
  })

  it('escapes the token', () => {
    const { body } = linkPage(`<script>alert("x")</script>'&`)

    expect(body).not.toContain('<script>alert')
    expect(body).toContain('<p class="address">&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&#39;&amp;</p>')
  })

  it('shows broken percent-encoding as it was sent', () => {
    const { status, body } = page('/devices/link/%E0%A4%A')

    expect(status).toBe(404)
    expect(body).toContain('%E0%A4%A')
  })
})
