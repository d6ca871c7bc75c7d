import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { printBanner } from '../../../src/cli/banner.js'
import { sharedWorld } from '../../../src/cli/key-world.js'
import { servingKeys } from '../../../src/cli/keys.js'
import { type Client, createClient } from '../../../src/client/index.js'
import type { AppOptions } from '../../../src/core/mock/options.js'
import { capsuleJson } from '../../../src/server/files/capsule-html.js'
import { folder } from '../../support/command.js'
import { recordingConsole } from '../../support/console.js'
import { sendTo } from '../../support/http.js'
import { type ServedReplica, serveReplica, sharedModel } from '../../support/served-replicas.js'
import { bearer, tanks } from '../../support/tanks.js'

const ownToken = 'own.mock.secret'

/** Serves two replicas. `other` does not run the world `default`, and its process has a terminal. */
async function serveTwo(options: { readonly app?: AppOptions } = {}): Promise<{
  readonly client: Client
  readonly other: ServedReplica
  readonly own: { readonly url: string; readonly ownToken: string }
}> {
  const model = sharedModel()
  const [owner, other] = [await serveReplica(model, options), await serveReplica(model, { ...options, ownToken })]
  const client = createClient(owner.url, { controlToken: options.app?.controlToken })
  await client.world.describe()
  return { client, other, own: { url: other.url, ownToken } }
}

/** The keys of the replica that does not run the world. Each press returns what it printed. */
async function keysOfOther() {
  const { client, other, own } = await serveTwo()
  const { console, lines } = recordingConsole()
  const path = await folder()
  const keys = servingKeys({
    ...other,
    console,
    world: await sharedWorld(own.url, own.ownToken),
    folder: path,
    quit: () => {},
  })
  const press = async (pressed: string) => {
    const before = lines.length
    await keys.find(({ key }) => key === pressed)?.press()
    return lines.slice(before)
  }
  return { client, other, press, path }
}

describe('the keys of a replica', () => {
  it('r and s change a world that another replica runs', async () => {
    const { client, other, press } = await keysOfOther()
    const count = async () => (await client.world.lobbies.all()).length
    const before = await count()

    await client.lobby()
    const reset = await press('r')
    const after = await count()
    const loaded = await press('s')
    const { title } = await client.world.describe()

    expect([reset, after]).toEqual([['  reset'], before])
    expect(title).toBe(other.mock.scenarios[1]?.title)
    expect(loaded[1]).toContain(title)
    expect(other.mock.worlds.inMemory('default')).toBeUndefined()
  })

  it('p, l and m change its clock', async () => {
    const { client, press } = await keysOfOther()
    await client.clock.set({ mode: 'frozen', rate: 60 })

    const moved = await press('m')
    const [runs] = await press('p')
    const [live] = await press('l')
    const clock = await client.clock.get()

    expect(moved).toEqual(['  20:01:00, frozen'])
    expect(runs).toMatch(/^ {2}20:01:\d\d, running at ×60$/)
    expect(live).toMatch(/, running at ×1$/)
    expect([clock.mode, clock.rate]).toEqual(['running', 1])
  })

  it('e exports it as it is now', async () => {
    const { client, press, path } = await keysOfOther()
    await client.lobby({ lobby_id: 'made-later' })

    const [wrote] = await press('e')

    expect(wrote).toContain('wrote mockmaker-world.html')
    expect(capsuleJson(await readFile(join(path, 'mockmaker-world.html'), 'utf8'))).toContain('made-later')
  })

  it('t prints its namespaces as they are now, and u the URLs of the worlds of all replicas', async () => {
    const { client, other, press } = await keysOfOther()
    await client.lobby()
    await client.worlds.put('elsewhere')

    expect((await press('t')).join('\n')).toContain('tanks/prod    1 player in 6 lobbies')
    expect((await press('u')).join('\n')).toContain(`${other.url}/w/elsewhere`)
  })
})

describe('the banner of a replica', () => {
  it('describes a world of another replica as it is now', async () => {
    const { client, other } = await serveTwo()
    const { console, lines } = recordingConsole()
    await client.lobby({ players: 2 })

    await other.mock.worlds.lookAtDefault(world =>
      printBanner(world, { title: tanks.title ?? '', url: other.url, console, readyMs: 1, keys: 'key' }),
    )

    expect(lines.find(line => line.includes('  world  '))).toContain('4 players in 8 lobbies')
  })
})

describe('the token of the process of a replica', () => {
  it('controls the worlds of all replicas, whatever the control token is', async () => {
    const { own, client } = await serveTwo({ app: { controlToken: 'control.mock.secret' } })

    await (await sharedWorld(own.url, own.ownToken)).clock.advance('1m')

    expect((await client.clock.get()).now).toBe('2026-11-20T20:01:00.000Z')
  })

  it('is unknown to other replicas, and nothing else than it is accepted', async () => {
    const { own, client } = await serveTwo({ app: { controlToken: 'control.mock.secret' } })
    const statusOf = async (url: string, headers = {}) =>
      (await sendTo(url, { method: 'GET', path: '/__mock/status', headers })).status

    expect(await statusOf(own.url, bearer(ownToken))).toBe(200)
    expect(await statusOf(client.url, bearer(ownToken))).toBe(401)
    expect(await statusOf(own.url, bearer(`${ownToken}x`))).toBe(401)
    expect(await statusOf(own.url)).toBe(401)
  })
})
