import { readFileSync } from 'node:fs'
import { fc, it } from '@fast-check/vitest'
import { describe, expect, inject, onTestFinished, vi } from 'vitest'
import { UsageError } from '../../../src/core/lib/messages.js'
import { createMock } from '../../../src/core/mock/mock.js'
import { parseScenario, scenarios } from '../../../src/core/scenario/index.js'
import { StorageError } from '../../../src/core/storage/storage.js'
import { idOf } from '../../../src/core/store/models.js'
import { tableNames } from '../../../src/core/store/table-names.js'
import type { World } from '../../../src/core/store/world.js'
import { confirmMs, Reloader, reloadText } from '../../../src/server/files/reloader.js'

const fixture = (name: string) => readFileSync(`fixtures/${name}.yaml`)
const lobbies = (...ids: readonly string[]) =>
  `game_modes: [duel]\nlobbies:\n${ids.map(id => `  - { lobby_id: ${id}, total_player_count: 1 }\n`).join('')}`

/** A reloader of a file in memory, and its mock. Only the timers of the reloader are faked. */
function reloading(text: string) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const mock = createMock({ scenario: { clock: 'frozen', ...parseScenario(text) } }, { scenarios })
  const [lines, errors]: [string[], string[]] = [[], []]
  let now: string | undefined = text
  const reloader = new Reloader(
    { path: 'scenario.yaml', text },
    () => {
      if (now?.includes('\uFFFD')) throw new UsageError('scenario.yaml is not UTF-8 text')
      return now
    },
    {
      mock,
      onReload: summary => void lines.push(reloadText('scenario.yaml', summary)),
      onMistake: message => void errors.push(message),
    },
  )
  onTestFinished(async () => {
    reloader.close()
    await mock.close()
  })
  return {
    mock,
    lines,
    errors,
    reloader,
    ids: () => mock.default.world.lobbies.all().map(({ lobby_id }) => lobby_id),
    /** Saves a text, or a part of one. */
    save: (text: string | Uint8Array | undefined) => {
      now = text instanceof Uint8Array ? new TextDecoder().decode(text) : text
      return reloader.check()
    },
    /** Advances the time, and waits for the checks that this starts. */
    async pass(ms: number) {
      vi.advanceTimersByTime(ms)
      await reloader.check()
    },
  }
}

/** The ids of all rows, with their tables. */
function rowsOf(world: World): ReadonlySet<string> {
  return new Set(
    tableNames.flatMap(name => world[name].all().map(row => `${name} ${idOf(name)(row as never)}`)), // it is of that table
  )
}

describe('a save that deletes something', () => {
  it('is loaded when the file has not changed for a second', async () => {
    const { save, pass, ids, lines } = reloading(lobbies('one', 'two', 'three'))

    await save(lobbies('one'))
    const at = [ids()]
    await pass(confirmMs - 1)
    at.push(ids())
    await pass(1)
    at.push(ids())

    expect(at).toEqual([['one', 'two', 'three'], ['one', 'two', 'three'], ['one']])
    expect(lines).toEqual(['reloaded scenario.yaml: 2 records deleted'])
  })

  it('is read and merged once for each check', async () => {
    const { mock, save, pass } = reloading(lobbies('one', 'two'))
    const reload = vi.spyOn(mock, 'reload')

    await save(lobbies('one', 'two', 'three'))
    await save(lobbies('one'))
    await pass(confirmMs)

    const [created, first, second] = reload.mock.calls.map(([scenario]) => scenario)
    expect(reload).toHaveBeenCalledTimes(3)
    expect(first).not.toBe(created)
    expect(second).toBe(first)
  })

  it('is not loaded if the rest of the file follows within the second', async () => {
    const { save, pass, ids, lines } = reloading(lobbies('one', 'two'))

    await save(lobbies('one'))
    await pass(confirmMs - 1)
    await save(lobbies('one', 'two', 'three'))
    await pass(10 * confirmMs)

    expect(ids()).toEqual(['one', 'two', 'three'])
    expect(lines).toEqual(['reloaded scenario.yaml: 1 record created'])
  })

  it('waits a second after each piece', async () => {
    const { save, pass, ids } = reloading(lobbies('one', 'two', 'three'))

    for (const text of [lobbies('one'), 'game_modes: [duel]\n', lobbies('three'), lobbies('two')]) {
      await save(text)
      await pass(confirmMs - 1)
    }
    const before = ids()
    await pass(1)

    expect([before, ids()]).toEqual([['one', 'two', 'three'], ['two']])
  })

  it('is forgotten if the file is as before again', async () => {
    const { save, pass, ids, lines } = reloading(lobbies('one', 'two'))

    await save(lobbies('one'))
    await save(lobbies('one', 'two'))
    await pass(10 * confirmMs)

    expect(ids()).toEqual(['one', 'two'])
    expect(lines).toEqual([])
  })

  it('is not loaded if the file is gone at the second check, and waits a second when it is back', async () => {
    const { save, pass, ids, reloader } = reloading(lobbies('one', 'two'))
    await save(lobbies('one'))
    const check = vi.spyOn(reloader, 'check').mockResolvedValue()
    await save(undefined)
    check.mockRestore()

    await pass(confirmMs)
    const at = [ids()]
    await save(lobbies('one'))
    await pass(confirmMs - 1)
    at.push(ids())
    await pass(1)
    at.push(ids())

    expect(at).toEqual([['one', 'two'], ['one', 'two'], ['one']])
  })

  it('waits again if the file has changed unnoticed, and still deletes something', async () => {
    const { save, pass, ids, reloader } = reloading(lobbies('one', 'two', 'three'))
    await save(lobbies('one'))
    const check = vi.spyOn(reloader, 'check').mockResolvedValue()
    await save(lobbies('two'))
    check.mockRestore()

    await pass(confirmMs)
    const before = ids()
    await pass(confirmMs)

    expect([before, ids()]).toEqual([['one', 'two', 'three'], ['two']])
  })

  it('waits even if it deletes only players that the run has created', async () => {
    const duel = (max_players: number) =>
      `game_modes: [duel]\nlobbies:\n  - { lobby_id: one, max_players: ${max_players} }\n`
    const { save, pass, mock } = reloading(duel(2))
    for (const _ of [1, 2]) await mock.default.world.players.create({ lobby_id: 'one' })

    await save(duel(1))
    const before = mock.default.world.players.count()
    await pass(confirmMs)

    expect([before, mock.default.world.players.count()]).toEqual([2, 1])
  })

  it('is not loaded after the reloader is closed', async () => {
    const { save, pass, ids, reloader } = reloading(lobbies('one', 'two'))

    await save(lobbies('one'))
    reloader.close()
    await pass(confirmMs)

    expect(ids()).toEqual(['one', 'two'])
  })

  it('waits even if it deletes only faults, or rows that the run has created', async () => {
    const faults = 'faults:\n  - { operation: lobbies.list, effect: { hold: true } }\n'
    const { save, pass, mock, lines } = reloading(lobbies('one') + faults)
    await mock.default.world.lobbies.create({ lobby_id: 'run' })

    await save(lobbies('one').replaceAll('duel', 'ffa') + faults)
    await save(lobbies('one'))
    const before = [mock.default.faults.list().length, mock.default.world.lobbies.count()]
    await pass(confirmMs)

    expect([before, mock.default.faults.list().length]).toEqual([[1, 2], 0])
    expect(lines).toEqual(['reloaded scenario.yaml: 1 record deleted'])
  })
})

describe('a file without content', () => {
  it.each(['', '# only comments\n', '---\n', 'null\n'])(
    'counts as half written, however long it stays: %j',
    async text => {
      const { save, pass, ids, errors } = reloading(lobbies('one', 'two'))

      await save(text)
      await pass(1_000_000)

      expect(ids()).toEqual(['one', 'two'])
      expect(errors).toEqual([])
    },
  )
})

describe('a missing file', () => {
  const isMissing = 'scenario.yaml does not exist any more\nthe world stays unchanged until the file is back'

  it('is reported once, when it has been missing for a second', async () => {
    const { save, pass, ids, errors } = reloading(lobbies('one', 'two'))

    await save(undefined)
    await pass(confirmMs - 1)
    const before = [...errors]
    await pass(1)
    await pass(1_000_000)

    expect([before, errors]).toEqual([[], [isMissing]])
    expect(ids()).toEqual(['one', 'two'])
  })

  it('is reported again after it was back, also with the same text', async () => {
    const { save, pass, errors, lines } = reloading(lobbies('one'))

    for (const _ of [1, 2]) {
      await save(undefined)
      await pass(confirmMs)
      await save(lobbies('one'))
    }

    expect(errors).toEqual([isMissing, isMissing])
    expect(lines).toEqual([])
  })

  it('is loaded when it is back', async () => {
    const { save, pass, ids } = reloading(lobbies('one'))

    await save(undefined)
    await pass(confirmMs)
    await save(lobbies('one', 'two'))

    expect(ids()).toEqual(['one', 'two'])
  })

  it('is not reported after the reloader is closed', async () => {
    const { save, pass, errors, reloader } = reloading(lobbies('one'))

    await save(undefined)
    reloader.close()
    await pass(confirmMs)

    expect(errors).toEqual([])
  })

  const texts = fc.constantFrom(lobbies('one'), lobbies('one', 'two'), '# half written\n', '')
  const absence = fc.record({ ms: fc.integer({ min: 0, max: confirmMs - 1 }), text: texts })

  it.prop([fc.array(absence, { maxLength: 5 })], { numRuns: Math.min(50, inject('runs')) })(
    'is not reported if it is back within a second, each time',
    async absences => {
      const { save, pass, errors, ids } = reloading(lobbies('one'))

      for (const { ms, text } of absences) {
        await save(undefined)
        await pass(ms)
        await save(text)
      }
      await save(lobbies('one', 'two'))
      await pass(10 * confirmMs)

      expect(errors).toEqual([])
      expect(ids()).toEqual(['one', 'two'])
    },
  )
})

describe('a wrong file', () => {
  it('is reported once, and loaded when it is fixed', async () => {
    const { save, pass, ids, errors } = reloading(lobbies('one'))

    await save('lobbies: 5')
    await save('lobbies: 5')
    await pass(confirmMs)
    await save(lobbies('one', 'two'))

    expect(errors).toHaveLength(1)
    expect(errors[0]).toMatch(/^scenario\.yaml:1:10: lobbies is 5/)
    expect(ids()).toEqual(['one', 'two'])
  })
})

describe('a save that the storage refuses', () => {
  it('is reported, and loaded by the next check', async () => {
    const { mock, reloader, save, errors, ids } = reloading(lobbies('one'))
    const reload = vi.spyOn(mock, 'reload').mockRejectedValueOnce(new StorageError('cannot write log: free some space'))
    await save(lobbies('one', 'two'))
    await reloader.check()

    expect(errors).toEqual([
      'cannot write log: free some space\nthe world stays unchanged: when the storage takes changes again, save the file again',
    ])
    expect([reload.mock.calls.length, ids()]).toEqual([2, ['one', 'two']])
  })
})

describe('a slow save in two pieces', () => {
  /** Saves each prefix and then the rest. Returns the lengths of the prefixes that deleted something that the file has. */
  async function losing(bytes: Uint8Array, lengths: Iterable<number>): Promise<number[]> {
    const whole = new TextDecoder().decode(bytes)
    const { save, pass, mock } = reloading(whole)
    const kept = rowsOf(mock.default.world)
    const losing: number[] = []
    for (const length of lengths) {
      await save(bytes.subarray(0, length))
      await pass(confirmMs - 1)
      const there = rowsOf(mock.default.world)
      await save(whole)
      await pass(10 * confirmMs)
      const after = rowsOf(mock.default.world)
      if ([...kept].some(row => !there.has(row) || !after.has(row))) losing.push(length)
    }
    return losing
  }

  it.each([
    ['default', inject('runs')] as const,
    ...['friday-night', 'launch-day', 'nasty'].map(name => [name, Math.ceil(inject('runs') / 15)] as const),
  ])('loses nothing of %s, wherever the first piece ends', { timeout: 240_000 }, async (name, numRuns) => {
    const bytes = fixture(name)
    const lengths = fc.sample(fc.nat(bytes.length), numRuns)

    expect(await losing(bytes, lengths)).toEqual([])
  })
})
