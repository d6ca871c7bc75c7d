import { describe, expect } from 'vitest'
import { checkUnusedFaults } from '../../../src/core/pipeline/unused-faults.js'
import { createMockmaker, type ScenarioInput } from '../../../src/index.js'
import { setupMockmaker } from '../../../src/msw/node.js'
import { controls, messageOf } from '../../support/controls.js'
import { ask } from '../../support/http.js'
import { it } from '../../support/served-mock.js'

const list = { method: 'GET', path: '/matchmaker/lobbies/list' } as const
const neverApplied =
  /^fault 1 \(lobbies\.join: \{"error":\{"status":503\}\}\) never applied to a request\. Remove it, or check its operation/

describe('a strict mock', () => {
  it('resets, and then rejects because of a fault that never applied', async () => {
    const mock = createMockmaker({ strict: true })
    mock.fail('lobbies.join', 503)

    expect(await messageOf(() => mock.reset())).toMatch(neverApplied)

    expect(mock.faults.list()).toEqual([])
    await mock.reset()
    await mock.close()
  })

  it('accepts faults that applied, those that stay, and those of the scenario', async () => {
    const faults: ScenarioInput['faults'] = [{ operation: 'lobbies.join', effect: { hold: true } }]
    const mock = createMockmaker({ strict: true, scenario: { faults } })
    mock.fail('lobbies.list', 503, { times: 1 })
    await ask(mock, list)
    mock.fail('lobbies.find', 503).remove()
    await mock.reset()
    mock.fail('lobbies.find', 503)
    await mock.reset({ keep: ['faults'] })

    mock.faults.clear()
    await mock.close()
  })

  it('closes all worlds, and then rejects once', async () => {
    const mock = createMockmaker({ strict: true })
    const world = await mock.worlds.put('w1')
    world.fail('lobbies.join', 503)

    expect(await messageOf(() => mock.close())).toMatch(neverApplied)

    expect(await messageOf(() => mock.worlds.get('w1')?.snapshot() ?? Promise.reject(new Error('gone')))).toBe('gone')
    await mock.close()
  })

  it('stops MSW, and ends an isolated function', async () => {
    const mock = setupMockmaker({ strict: true })
    mock.listen({ onUnhandledRequest: 'bypass' })
    const own = mock.isolated(world => world.fail('lobbies.join', 503).id)
    const failing = mock.isolated(world => {
      world.fail('lobbies.join', 503)
      throw new Error('own error')
    })

    expect(await messageOf(() => own)).toMatch(neverApplied)
    expect(await messageOf(() => failing)).toBe('own error')
    mock.fail('lobbies.join', 503)
    expect(await messageOf(() => mock.close())).toMatch(neverApplied)
    // MSW answers with one mock at a time.
    const next = setupMockmaker()
    next.listen({ onUnhandledRequest: 'bypass' })
    await next.close()
  })

  it('is not the default', async () => {
    const mock = createMockmaker()
    mock.fail('lobbies.join', 503)

    await mock.reset()
    mock.fail('lobbies.join', 503)
    await mock.close()
  })
})

describe.each(controls)('faults.list({ unused: true }), $where', ({ of }) => {
  it('lists faults for checkUnusedFaults, which throws', async ({ serve }) => {
    const served = await serve()
    served.mock.fail('lobbies.join', 503)
    served.mock.fail('lobbies.list', 503)
    await ask(served.mock, list)

    const unused = await of(served).faults.list({ unused: true })

    expect(await messageOf(() => checkUnusedFaults(unused))).toMatch(neverApplied)
    expect(unused).toHaveLength(1)
    checkUnusedFaults([])
  })
})
