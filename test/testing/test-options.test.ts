import { http } from 'msw'
import { describe, expect, it } from 'vitest'
import { RunningTests } from '../../src/testing/running-tests.js'
import { TestMocks } from '../../src/testing/test-mocks.js'

const mocks = () => new TestMocks(new RunningTests(() => undefined), { http }, fetch)

describe('the options of a mock for each test', () => {
  it.each([
    ['in-process', { scnario: {} }, 'scnario', 'scenario', 'faults, onUnhandledRequest, server'],
    ['in-process', { fork: 'default' }, 'fork', 'faults', 'onUnhandledRequest, server'],
    ['on a server', { server: 'http://127.0.0.1:1', sed: 5 }, 'sed', 'seed', 'baseUrl, strict, onUnhandledRequest'],
    ['on a server', { server: 'http://127.0.0.1:1', journalSize: 5 }, 'journalSize', '', 'fork, faults'],
  ])('%s are listed if one is unknown: %j', (_, options, unknown, meant, listed) => {
    const create = () => mocks().create('a test', options as object)

    expect(create).toThrow(`options.${unknown} is an unknown key. Known: `)
    expect(create).toThrow(listed)
    if (meant !== '') expect(create).toThrow(meant)
  })

  it('may be undefined', async () => {
    const { end } = await mocks().create('a test', { seed: 3, fork: undefined })

    await end()
  })
})
