import { RivetClient } from '@rivet-gg/api'
import { describe, expect } from 'vitest'
import { itKeepsEvidence } from '../../support/evidence.js'
import { itWithoutWarnings as it } from '../../support/served-mock.js'

/** A scenario with the ports and the game modes of the games. */
const scenario = {
  regions: ['lnd-atl', 'lnd-fra'],
  development: {
    lobby_ports: ['default', 'signaling'].map((label, at) => ({
      label,
      target_port: 5001 + at,
      proxy_protocol: 'http' as const,
    })),
  },
  tokens: { public: 'pub_prod.mock.games', development: 'dev_prod.mock.games' },
  game_modes: ['default', 'custom', { game_mode_id: 'classic', max_players: 50 }],
}
const kinds = ['pub_prod.mock.games', 'dev_prod.mock.games'] as const

const matchmaker = (url: string, token: string) => new RivetClient({ environment: url, token }).matchmaker

/** Casts arguments as a JavaScript game passes them. The client's types forbid null, but it sends null. */
const untyped = <T>(args: object): T => args as T

describe.for(kinds)('published games, with %s', token => {
  // rivet-gg/microgravity.io, src/client/GameClient.js: if find fails, it reloads its page again and again.
  it('lets microgravity.io play: regions, then find without a region and without a captcha', async ({ serve }) => {
    const { url } = await serve({ scenario })
    const { regions, lobbies } = matchmaker(url, token)

    const listed = await regions.list(...untyped<[]>([{}]))
    const { lobby } = await lobbies.find(untyped({ gameModes: ['classic'], regions: null, captcha: null }))

    expect(listed.regions.length).toBeGreaterThan(0)
    expect(lobby.ports.default).toMatchObject({ hostname: '127.0.0.1', port: 5001, isTls: false })
    expect(lobby.region.regionId).toMatch(/^(lnd-atl|lnd-fra|dev-lcl)$/)
    expect(lobby.player.token).toContain('player.')
  })

  it('lets microgravity.io show the captcha of a fault, and accepts its answer', async ({ serve }) => {
    const { url, mock } = await serve({ scenario })
    const { lobbies } = matchmaker(url, token)
    const metadata = { hcaptcha: { site_id: 'mock-site', site_key: 'mock-key' } }
    const error = { status: 403, code: 'CAPTCHA_CAPTCHA_REQUIRED', metadata } as const
    mock.faults.add({ operation: 'lobbies.find', effect: { error }, times: 1 })
    const ask = (captcha: object | null) => lobbies.find(untyped({ gameModes: ['classic'], regions: null, captcha }))

    const refused = await ask(null).catch((failure: unknown) => failure)
    const found = await ask({ hcaptcha: { clientResponse: 'solved' } })

    expect(refused).toMatchObject({ statusCode: 403, body: { code: 'CAPTCHA_CAPTCHA_REQUIRED', metadata } })
    expect(found.lobby.ports.default?.port).toBe(5001)
  })
})

itKeepsEvidence()
