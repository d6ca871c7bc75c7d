import { afterAll, describe, expect } from 'vitest'
import { createMockmaker } from '../../../src/index.js'
import { listen } from '../../../src/server/http/index.js'
import { mockmaker } from '../../../src/testing/vitest/index.js'

const served = createMockmaker({ scenario: { game_modes: ['duel'] } })
const server = await listen(served, { port: 0 })
afterAll(() => server.close())

const test = mockmaker({ server: server.url, onUnhandledRequest: 'error' })

// Stands for the code under test.
async function countLobbies(): Promise<number> {
  const response = await fetch('https://matchmaker.test/matchmaker/lobbies/list')
  return ((await response.json()) as { lobbies: unknown[] }).lobbies.length
}

describe('a test on a running mock', () => {
  test('has a world of its own, which its requests reach', async ({ mock }) => {
    await mock.lobby()

    expect(await countLobbies()).toBe(1)
    await expect(mock).toHaveAnswered('lobbies.list', {}, 1)
    expect(mock.url).toBe(`${server.url}/w/${mock.id}`)
  })

  test('leaves no world behind', async ({ mock }) => {
    expect(served.worlds.list().map(({ id }) => id)).toEqual(['default', mock.id])
  })

  const counts = Array.from({ length: 20 }, (_, count) => count)
  test.concurrent.for(counts)('runs beside others: %i', async (count, { mock, expect }) => {
    await mock.lobbies(count)

    expect(await countLobbies()).toBe(count)
    expect(await mock.journal.find()).toHaveLength(1)
  })

  test('sends bodies and tokens on, and gets errors as they are', async ({ mock }) => {
    await mock.lobby()
    const response = await fetch('https://matchmaker.test/matchmaker/lobbies/find', {
      method: 'POST',
      headers: { authorization: 'Bearer wrong' },
      body: '{"game_modes":["duel"]}',
    })

    expect(response.status).toBe(400)
    expect(await mock.journal.find()).toMatchObject([{ operation: 'lobbies.find', body: { game_modes: ['duel'] } }])
  })

  let left: Promise<unknown> | undefined
  test('may leave a request that waits', async ({ mock }) => {
    await mock.hold('lobbies.list')
    left = countLobbies().catch(() => 'unanswered')
    await mock.blocked(1)
  })

  test('answers it at the end of its test', async () => {
    expect(await left).toBe(0)
  })

  const kept: { id: string; reset(): Promise<void> }[] = []
  test('can keep its mock', ({ mock }) => {
    kept.push(mock)
  })

  test('cannot use the mock of a test that has ended', async ({ mock }) => {
    await expect(kept[0]?.reset()).rejects.toThrow('this mock belongs to a test that has ended')
    expect(served.worlds.list().map(({ id }) => id)).toEqual(['default', mock.id])
  })

  describe('with other options', () => {
    test.override('options', { scenario: { game_modes: ['ffa'] }, seed: 5 })

    test('gets a world of them', async ({ mock }) => {
      expect(await mock.world.describe()).toMatchObject({ seed: 5 })
      expect(await mock.lobby()).toMatchObject({ game_mode_id: 'ffa' })
    })
  })

  describe('with a path', () => {
    test.override('options', { scenario: 'fixtures/friday-night.yaml' })

    test('gets a world of the file', async () => {
      expect(await countLobbies()).toBeGreaterThan(10)
    })
  })
})
