import { describe, expect, it } from 'vitest'
import type { Tables } from '../../src/store/table.js'
import { describeRefusals } from '../support/refusals.js'
import { smallWorld } from '../support/small-world.js'

const identifier = 'expected an identifier: 1 to 16 of 0-9 a-z and -, with single - inside only'
const displayName = 'expected a display name: 1 to 128 bytes of UTF-8, no white space but single inner spaces'
const hostName = 'expected a host name in lower case, without scheme and port, as in tanks.example'

/** Changes the namespace prod of the small world. */
const withNamespace = (columns: object) => (tables: Tables) =>
  tables.namespaces.update(q => q.where({ namespace_id: 'prod' }), {
    data: draft => void Object.assign(draft, columns),
  })

const port = { label: 'a', proxy_protocol: 'udp' }
const withPort = (columns: object) =>
  withNamespace({ development: { hostname: '', lobby_ports: [{ ...port, ...columns }] } })

describe('what no scenario could say', () => {
  describeRefusals([
    [
      'a game whose name is no identifier',
      t => t.games.create({ name_id: 'My-Game' }),
      `games.create: name_id is "My-Game": ${identifier}`,
    ],
    [
      'a game whose display name is none',
      t => t.games.create({ name_id: 'a', display_name: ' a' }),
      `games.create: display_name is " a": ${displayName}`,
    ],
    [
      'a game with the name of another',
      t => t.games.create({ name_id: 'tanks', game_id: 'twin' }),
      'games "twin": name_id is "tanks", as that of tanks is',
    ],
    [
      'a namespace whose name is no identifier',
      withNamespace({ name_id: 'a--b' }),
      `namespaces.update: name_id is "a--b": ${identifier}`,
    ],
    [
      'a namespace whose display name is none',
      withNamespace({ display_name: '' }),
      `namespaces.update: display_name is "": ${displayName}`,
    ],
    [
      'a domain that is no host name',
      withNamespace({ domains: ['https://a.example'] }),
      `namespaces.update: domains[0] is "https://a.example": ${hostName}`,
    ],
    [
      'a domain twice in a namespace',
      withNamespace({ domains: ['a.example', 'b.example', 'a.example'] }),
      'namespaces "prod": domains has "a.example" twice',
    ],
    [
      'a domain of two namespaces',
      async t => {
        await withNamespace({ domains: ['a.example', 'b.example'] })(t)
        await t.namespaces.create({ namespace_id: 'live', name_id: 'live', domains: ['c.example', 'b.example'] })
      },
      'namespaces "prod": domains has "b.example", as those of live have',
    ],
    [
      'a port whose label is no identifier',
      withPort({ label: 'A' }),
      `namespaces.update: development.lobby_ports[0].label is "A": ${identifier}`,
    ],
    [
      'a port that says null instead of nothing',
      withPort({ target_port: null }),
      'namespaces.update: development.lobby_ports[0].target_port is null: expected number',
    ],
    [
      'a range that is null',
      withPort({ port_range: null }),
      'namespaces.update: development.lobby_ports[0].port_range is null: expected object',
    ],
    [
      'two ports of one label',
      withNamespace({ development: { hostname: '', lobby_ports: [port, port] } }),
      'namespaces "prod": development.lobby_ports has "a" twice',
    ],
    [
      'a CDN that is no host name',
      t =>
        t.settings.update(q => q.where({ settings_id: 'settings' }), {
          data: draft => void Object.assign(draft, { cdn_domain: 'a b' }),
        }),
      `settings.update: cdn_domain is "a b": ${hostName}`,
    ],
    [
      'a time that no date can be',
      t => t.deviceLinks.create({ device_link_token: 'd', expires_at: 8.64e15 + 1 }),
      'deviceLinks.create: expires_at is 8640000000000001: expected at most 8640000000000000',
    ],
    [
      'a device link with the id of another',
      t => t.deviceLinks.create({ device_link_token: 'd', device_link_id: 'sofa' }),
      'deviceLinks "d": device_link_id is "sofa", as that of another link is',
    ],
    [
      'a device link with the token of a bearer',
      t => t.deviceLinks.create({ device_link_token: 'cloud.mock.tanks' }),
      'deviceLinks "cloud.mock.tanks": device_link_token is a cloud token already',
    ],
    [
      'a bearer with the token of a device link',
      t => t.tokens.create({ token: 'device.mock.sofa', kind: 'cloud', game_id: 'tanks' }),
      'tokens "device.mock.sofa": token is that of a device link already',
    ],
  ])
})

describe('names', () => {
  it('can be exchanged within a turn', async () => {
    const world = smallWorld()
    const rename = { tanks: 'boats', boats: 'tanks' }

    await world.write(async ({ games }) => {
      for (const [game_id, name_id] of Object.entries(rename))
        await games.update(q => q.where({ game_id }), { data: draft => void Object.assign(draft, { name_id }) })
    })

    expect(world.games.all().map(({ name_id }) => name_id)).toEqual(['boats', 'tanks'])
  })

  it('of a namespace, and its domains, stay its own when it changes', async () => {
    const world = smallWorld()
    await world.write(withNamespace({ domains: ['a.example'] }))

    await world.write(withNamespace({ tokenless: false }))

    expect(world.namespaces.get('prod')).toMatchObject({ domains: ['a.example'], tokenless: false })
  })

  it('of a device link stay its own when it changes', async () => {
    const world = smallWorld()

    await world.deviceLinks.update(q => q.where({ device_link_id: 'sofa' }), {
      data: draft => void Object.assign(draft, { expires_at: 5 }),
    })

    expect(world.deviceLinks.all()[0]?.expires_at).toBe(5)
  })
})
