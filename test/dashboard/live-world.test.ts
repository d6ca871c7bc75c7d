import { fc } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { Api } from '../../src/dashboard/api.js'
import { LiveWorld } from '../../src/dashboard/live-world.js'
import type { Mockmaker } from '../../src/index.js'
import { toServable } from '../../src/mock/mock.js'
import { tableNames } from '../../src/store/models.js'
import { it } from '../support/served-mock.js'

/** A `fetch` whose open streams can be broken, as by a laptop that sleeps. */
function breakableFetch(): { readonly fetch: typeof fetch; drop(): void } {
  let connection = new AbortController()
  return {
    fetch: (url, { signal, ...init } = {}) => {
      const signals = [connection.signal, ...(signal ? [signal] : [])]
      return fetch(url, { ...init, signal: AbortSignal.any(signals) })
    },
    drop() {
      connection.abort()
      connection = new AbortController()
    },
  }
}

/** All rows of a mock, as JSON, by table and id. */
function rowsOf(mock: Mockmaker): Record<string, Record<string, unknown>> {
  const { tables } = toServable(mock).world.state as never as Record<
    string,
    Record<string, { entries(): { id: string; row: unknown }[] }>
  >
  return Object.fromEntries(
    tableNames.map(name => [name, Object.fromEntries(tables?.[name]?.entries().map(({ id, row }) => [id, row]) ?? [])]),
  )
}

const rowsShown = ({ tables }: LiveWorld) =>
  Object.fromEntries(tableNames.map(name => [name, Object.fromEntries(tables[name] as Map<string, unknown>)]))

const actions: { readonly [name: string]: (mock: Mockmaker, drop: () => void) => unknown } = {
  lobby: mock => mock.lobby({ game_mode_id: 'duel', players: 1 }),
  request: mock => mock.answer({ method: 'GET', path: '/matchmaker/lobbies/list', headers: {} }),
  player: mock => mock.player(),
  delete: mock => mock.world.lobbies.delete(mock.world.lobbies.all()[0]?.lobby_id ?? ''),
  advance: mock => mock.clock.advance('20m'),
  reset: mock => mock.reset({ keep: ['journal'] }),
  load: mock =>
    mock.load({ seed: 3, clock: 'frozen', game_modes: ['duel', 'ffa'], lobbies: [{ game_mode_id: 'ffa' }] }),
  drop: (_, drop) => drop(),
}

describe('the world of a page', () => {
  it('shows the rows and the requests of the mock after any changes, and after lost connections', async ({ serve }) => {
    const { mock, url } = await serve()
    const { fetch, drop } = breakableFetch()
    const live = new LiveWorld(new Api(url, fetch), { retryMs: 0 })

    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...Object.keys(actions)), { maxLength: 12 }), async names => {
        for (const name of names)
          await Promise.resolve()
            .then(() => actions[name]?.(mock, drop))
            .catch(() => {})
        await expect.poll(() => rowsShown(live)).toEqual(JSON.parse(JSON.stringify(rowsOf(mock))))
        await expect
          .poll(() => live.exchanges.value.map(({ id }) => id))
          .toEqual(mock.journal.find().map(({ id }) => id))
      }),
      { numRuns: 12 },
    )
    live.close()
  })
})
