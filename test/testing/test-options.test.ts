import { http } from 'msw'
import { describe, expect, it } from 'vitest'
import { ScenarioCache } from '../../src/testing/scenario-cache.js'
import { createTest } from '../../src/testing/vitest/test-mock.js'

const create = (options: object) =>
  createTest('a test', options, { use: () => {}, platform: { http, fetch }, cache: new ScenarioCache() })

describe('the options of a mock for each test', () => {
  it.each([
    ['in-process', { scnario: {} }, 'scnario', 'scenario', 'faults, capsule, onUnhandledRequest, server'],
    [
      'on a server',
      { server: 'http://127.0.0.1:1', sed: 5 },
      'sed',
      'seed',
      'baseUrl, strict, capsule, onUnhandledRequest',
    ],
  ])('%s are listed if one is unknown: %j', (_, options, unknown, meant, listed) => {
    const refused = () => create(options)

    expect(refused).toThrow(`options.${unknown} is an unknown key. Known: `)
    expect(refused).toThrow(listed)
    expect(refused).toThrow(meant)
  })

  it.each([
    [{ fork: 'default' }, 'options.fork is for a running mock: set the option server too'],
    [
      { server: 'http://127.0.0.1:1', journalSize: 5 },
      'options.journalSize is for a mock in the process of the test: set it on the server instead',
    ],
  ])('are refused in the other place: %j', (options, message) => {
    expect(() => create(options)).toThrow(message)
  })

  it('may be undefined', async () => {
    const { end } = await create({ seed: 3, fork: undefined })

    await end()
  })
})
