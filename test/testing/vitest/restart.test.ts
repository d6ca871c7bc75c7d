import { afterAll, describe, expect, test as plain } from 'vitest'
import { createClient } from '../../../src/client/index.js'
import { createMockmaker, type Mockmaker } from '../../../src/index.js'
import { listen } from '../../../src/server/http/index.js'
import { matchers } from '../../../src/testing/matchers.js'
import { openMock } from '../../../src/testing/playwright/page-mock.js'
import { reportRequests, summarizeRequests } from '../../../src/testing/report.js'
import { ScenarioCache } from '../../../src/testing/scenario-cache.js'
import { mockmaker } from '../../../src/testing/vitest/index.js'

const scenario = { scenario: { game_modes: ['duel'] } }

/** A mock that can restart on its port. */
class Restartable {
  #server = this.#listen(createMockmaker(scenario), 0)

  async url(): Promise<string> {
    return (await this.#server).url
  }

  /** Restarts the mock. The world with the id is there again, as with a storage, and its journal is empty. */
  async restart(id: string): Promise<void> {
    const { url, close } = await this.#server
    await close()
    const mock = createMockmaker(scenario)
    await mock.worlds.put(id)
    this.#server = this.#listen(mock, Number(new URL(url).port))
    await this.#server
  }

  async close(): Promise<void> {
    await (await this.#server).close()
  }

  #listen(mock: Mockmaker, port: number) {
    return listen(mock, { port })
  }
}

const server = new Restartable()
const url = await server.url()
afterAll(() => server.close())

const lost =
  /^the journal has no requests before 20\S+Z, because the mock was restarted or the world was deleted during this test$/

const test = mockmaker({ server: url, onUnhandledRequest: 'bypass' })

// Stands for the code under test.
const list = () => fetch('https://matchmaker.test/matchmaker/lobbies/list', { headers: { connection: 'close' } })

describe('a test whose mock restarts', () => {
  test('fails at toHaveAnswered, with not too, and says since when requests are known', async ({ mock }) => {
    await list()
    await server.restart(mock.id)
    await list()

    const found = () => expect(mock).toHaveAnswered('lobbies.list')
    await expect(found()).rejects.toThrow(lost)
    await expect(expect(mock).toHaveAnswered('lobbies.list', {}, 2)).rejects.toThrow(lost)
    await expect(expect(mock).not.toHaveAnswered('lobbies.list', {}, 2)).rejects.toThrow(lost)
    await expect(expect(mock).not.toHaveAnswered('lobbies.find')).rejects.toThrow(lost)

    await mock.reset()
    await expect(found()).rejects.toThrow(lost)
  })

  test('fails at journal.expect, whatever it expects', async ({ mock }) => {
    await list()
    await mock.journal.expect('lobbies.list')
    await server.restart(mock.id)
    await list()

    await expect(mock.journal.expect('lobbies.list')).rejects.toThrow(lost)
    await expect(mock.journal.expect('lobbies.find', {}, 0)).rejects.toThrow(lost)
    await mock.worlds.put('other')
    await (await mock.worlds.get('other'))?.journal.expect('lobbies.find', {}, 0)
  })

  test('reports the restart, and no lack of requests', async ({ mock }) => {
    await list()
    expect(await reportRequests(mock)).not.toContain('restarted')
    await server.restart(mock.id)

    const [report, summary] = [await reportRequests(mock), await summarizeRequests(mock, { longest: 200 })]
    await list()
    const later = await reportRequests(mock)

    expect(report).toMatch(
      /^The journal has no requests before 20\S+Z, because the mock was restarted or the world was deleted during this test\.$/,
    )
    expect(summary).toBe('The mock was restarted, or the world was deleted, during this test')
    expect(later).toMatch(/^The journal has no requests before .*\nThe requests to the mock, the oldest first:\n/)
  })

  test('does not fail the test after it', async ({ mock }) => {
    await list()

    await expect(mock).toHaveAnswered('lobbies.list', {}, 1)
  })
})

describe('a test that empties its journal itself', () => {
  test('does not fail', async ({ mock }) => {
    const same = createClient(mock.url)
    const calls = [() => same.journal.clear(), () => same.reset(), () => same.load('default')]
    for (const empty of [...calls, () => same.worlds.put(mock.id)]) {
      await list()
      await empty()
      await expect(mock).not.toHaveAnswered('lobbies.list')
    }
  })
})

/** Serves a mock, and deletes a world and creates it again: its journal begins anew, as after a restart. */
async function serve() {
  const mock = createMockmaker(scenario)
  const { url, close } = await listen(mock, { port: 0 })
  return {
    url,
    close,
    async beginAnew(id: string): Promise<void> {
      await mock.worlds.delete(id)
      await mock.worlds.put(id)
    },
  }
}

describe('a client that belongs to no test', () => {
  plain('is not compared, because it cannot know when the test began', async () => {
    const { url, close, beginAnew } = await serve()
    const world = await createClient(url).worlds.put('own')
    await expect(world).not.toHaveAnswered('lobbies.list')
    await beginAnew('own')

    await expect(world).not.toHaveAnswered('lobbies.list')
    await close()
  })
})

describe("a test of Playwright's whose journal begins anew", () => {
  plain('fails at toHaveAnswered', async () => {
    const { url, close, beginAnew } = await serve()
    const options = { matchmaker: 'https://matchmaker.test', server: url }
    const { mock, close: end } = await openMock(options, new ScenarioCache(), async () => {})
    const before = await matchers.toHaveAnswered(mock, 'lobbies.list', {}, 0)
    await beginAnew(mock.id)

    const after = await matchers.toHaveAnswered(mock, 'lobbies.list', {}, 0)
    const inverted = await matchers.toHaveAnswered.call({ isNot: true }, mock, 'lobbies.list')
    await end(async () => {})
    await close()

    expect(before.pass).toBe(true)
    expect([after.pass, inverted.pass]).toEqual([false, true])
    expect(after.message()).toMatch(lost)
  })
})
