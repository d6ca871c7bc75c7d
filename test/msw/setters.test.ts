import { describe, expect } from 'vitest'
import type { NodeMockmaker } from '../../src/msw/node.js'
import { mockExpress } from '../../src/server/http/express.js'
import { it } from './node-mock.js'

const wrong = 'x' as never

describe('a setter of a mock', () => {
  it.for<[name: string, set: (mock: NodeMockmaker) => unknown, message: string]>([
    ['use', mock => mock.use(wrong), 'use: argument 1 is "x": expected a handler of MSW'],
    ['use, with a list', mock => mock.use(mock.handlers as never), 'spread the list, as in use(...handlers)'],
    ['resetHandlers', mock => mock.resetHandlers(wrong), 'resetHandlers: argument 1 is "x"'],
    ['boundary', mock => mock.boundary(wrong), 'boundary: the callback is "x": expected a function'],
    ['isolated', mock => mock.isolated(wrong), 'mock.isolated expects a function'],
    ['on', mock => mock.on('lobbies.list', wrong), 'the resolver of lobbies.list is "x": expected a function'],
    ['override', mock => mock.override('lobbies.list', wrong), 'the resolver of lobbies.list is "x"'],
    ['listen', mock => mock.listen({ onUnhandledReqest: 'error' } as never), 'Did you mean onUnhandledRequest?'],
    ['listen, with a text', mock => mock.listen(wrong), 'listen: the options are "x": expected an object'],
    ['log.subscribe', mock => mock.log.subscribe(wrong), 'log.subscribe: the listener is "x": expected a function'],
    ['hooks.on', mock => mock.world.lobbies.hooks.on('create', wrong), 'hooks.on: the listener is "x"'],
    ['hooks.once', mock => mock.world.lobbies.hooks.once('created' as never, () => {}), 'Did you mean create?'],
    ['setClientLocation', mock => mock.setClientLocation(wrong), 'location is "x": expected object'],
    ['clock.set', mock => mock.clock.set({ mode: wrong }), 'clock.mode is "x": expected "running" or "frozen"'],
    ['mockExpress', () => mockExpress([wrong]), 'handlers[0] is "x": expected an MSW handler'],
  ])('refuses a wrong argument at once: %s', async ([, set, message], { setup }) => {
    const mock = setup()

    await expect(async () => set(mock)).rejects.toThrow(
      expect.objectContaining({ name: 'UsageError', message: expect.stringContaining(message) }),
    )
  })

  it('keeps the listeners of hooks', async ({ setup }) => {
    const mock = setup()
    const heard: string[] = []
    const { hooks } = mock.world.lobbies
    expect(hooks.on('create', () => heard.push('on'))).toBe(hooks)
    hooks.once('create', () => heard.push('once'))

    await mock.lobbies(2)

    expect(heard).toEqual(['on', 'once', 'on'])
  })
})
