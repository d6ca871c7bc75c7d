/**
 * @typedef {object} Stage
 * @property {import('../dist/index.js').MockmakerWorld} mock the world, which begins as the default one with a frozen clock
 * @property {(method: string, path: string, body?: object) => Promise<any>} call sends a request, and returns the answer
 * @property {(page: string, file: string) => Promise<unknown>} run runs a program of a guide
 */

/**
 * The demos of the docs: `<!--try:find-->` on a page puts one there. `open` is the address on the page of the mock, `say`
 * tells what to press, and `play` makes the world.
 *
 * @satisfies {Record<string, { open: string, say: string, play(stage: Stage): Promise<void> }>}
 */
export const demos = {
  find: {
    open: '?request=2',
    say: 'A player in Berlin got a seat in Toronto, although Frankfurt is nearer. See why, and press Send again for the next player.',
    async play({ call }) {
      await call('POST', '/matchmaker/lobbies/find', { game_modes: ['free-for-all'] })
    },
  },
  fault: {
    open: '?request=5',
    say: 'The list fails with 503, because of a fault. Press Send again: one more fails, and then the list comes.',
    async play({ call, mock }) {
      await call('GET', '/matchmaker/lobbies/list')
      mock.fail('lobbies.list', 503, { times: 2 })
      await mock.clock.advance('10s')
      await call('GET', '/matchmaker/lobbies/list')
    },
  },
  link: {
    open: '?view=devices',
    say: 'A device waits. Complete its link as Tanks. Then open its newest request, and press Send again: it gets a cloud token.',
    async play({ call, mock }) {
      const { device_link_token } = await call('POST', '/cloud/devices/links')
      await mock.clock.advance('2s')
      await call('GET', `/cloud/devices/links?device_link_token=${device_link_token}`)
    },
  },
  past: {
    open: '?at=20:01:00',
    say: 'You see the moment in which a player took the last seat of a duel. Press Previous, and fork the world before it.',
    async play({ call, mock }) {
      await mock.clock.advance('1m')
      await call('POST', '/matchmaker/lobbies/find', { game_modes: ['duel'] })
      const { lobby_id } = mock.world.lobbies.all()[0] ?? {}
      await mock.clock.advance(5)
      await call('POST', '/matchmaker/lobbies/join', { lobby_id })
      await mock.clock.advance('1m')
    },
  },
  client: {
    open: '?request=1',
    say: 'The program above ran when this site was built. See what the client sent, and press Send again.',
    async play({ run }) {
      await run('docs/guides/connect-a-game.md', 'client.mjs')
    },
  },
}
