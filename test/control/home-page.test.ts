import { describe, expect, it } from 'vitest'
import { operationIds, operations } from '../../src/contract.js'
import { createMockmaker } from '../../src/index.js'
import type { ScenarioInput } from '../../src/scenario/schema.js'
import { page } from '../support/pages.js'

/** Returns the home page of a scenario, by default of the default one. */
const home = (scenario?: ScenarioInput) => page('/', { mock: createMockmaker({ scenario }) }).body

/** Returns the visible text of HTML. */
function read(html: string): string {
  const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }
  return html.replaceAll(/<[^>]*>/g, '').replaceAll(/&(#?\w+);/g, (_, name: string) => entities[name] ?? '?')
}

describe('the home page', () => {
  it('shows the URL and the title', () => {
    const body = home({ title: 'Friday night' })

    expect(body).toContain('<h1 dir="auto">Friday night</h1>')
    expect(body).toContain('<title>Friday night – mockmaker</title>')
    expect(body).toContain('http://127.0.0.1:4100</p>')
  })

  it('counts the records of the world', () => {
    const body = home({
      regions: ['lnd-fra', 'lnd-lon'],
      game_modes: ['duel', 'ffa'],
      lobbies: [{ game_mode_id: 'duel', total_player_count: 3 }],
    })

    const counts = [...body.matchAll(/<dt>([^<]*)<\/dt><dd>(\d+)<\/dd>/g)].map(([, name, count]) => `${count} ${name}`)
    expect(counts).toEqual(['1 game', '1 namespace', '2 game modes', '2 regions', '1 lobby', '3 players'])
  })

  it('counts the world as it is now', async () => {
    const mock = createMockmaker({ scenario: { game_modes: ['duel'] } })

    await mock.world.lobbies.create({ game_mode_id: 'duel' })
    await mock.world.lobbies.create({ game_mode_id: 'duel' })

    expect(page('/', { mock }).body).toContain('<dt>lobbies</dt><dd>2</dd>')
  })

  it('shows each token with a line of curl, public first, then development, then cloud', () => {
    const calls = [...home().matchAll(/<code class="call">([^<]*)<\/code>/g)].map(([, call]) => read(call ?? ''))

    expect(calls).toEqual([
      'curl http://127.0.0.1:4100/matchmaker/lobbies/list',
      "curl -H 'Authorization: Bearer pub_prod.mock.one' http://127.0.0.1:4100/matchmaker/lobbies/list",
      "curl -H 'Authorization: Bearer dev_prod.mock.one' http://127.0.0.1:4100/matchmaker/lobbies/list",
      expect.stringMatching(
        /^curl -H 'Authorization: Bearer cloud.mock.tanks' -d .*\/cloud\/devices\/links\/complete$/,
      ),
    ])
  })

  it('shows no call without a token if the default namespace is not tokenless', () => {
    expect(home({ tokenless: false })).not.toContain('no token')
  })

  it('shows all operations, and a link to the OpenAPI document', () => {
    const text = read(home())

    for (const id of operationIds) expect(text).toContain(`${operations[id].method} ${operations[id].path}`)
    expect(home()).toContain('<a href="openapi.json">')
  })

  it('escapes the title and the tokens', () => {
    const evil = `"'><script>alert(1)</script>&amp;`

    const body = home({ title: evil, tokens: { public: evil } })

    expect(body).not.toContain('<script')
    expect(body).toContain('<h1 dir="auto">&quot;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp;</h1>')
    expect(read(body)).toContain(evil)
  })

  it('escapes the URL, which may come from a Host header', () => {
    const { body } = page('/', { url: 'http://<img src=x>' })

    expect(body).not.toContain('<img')
  })
})
