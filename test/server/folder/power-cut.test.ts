import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { KeptWorld, Storage } from '../../../src/core/storage/storage.js'
import { openFolder } from '../../../src/server/folder/folder.js'
import { fakeRealTimers } from '../../support/fake-real-timers.js'
import { line, linesOf, newWorld, originText, putOrigin, summary } from '../../support/kept-worlds.js'
import { Disk, type Loss, PowerCut } from './power-cut-disk.js'

beforeEach(() => {
  vi.useFakeTimers()
  fakeRealTimers()
})

const path = '/home/worlds'

/** What a process has told others: the disk must have it from then on. */
interface Told {
  settings: string | undefined
  /** By world. `deleted`: it must not come back. `undefined`: nobody has been told about it. */
  worlds: Map<string, { base: number; last: number } | 'deleted'>
  /** The number of openings of the world `default`. */
  starts: number
}

const cuts: readonly Loss[] = [
  { names: 'lost', bytes: 'lost' },
  { names: 'kept', bytes: 'lost' },
  { names: 'inner', bytes: 'lost' },
  { names: 'kept', bytes: 'zeros' },
  { names: 'random', bytes: 'random' },
]

/** Waits until the disk has the lines of a world: its calls are synchronous here. */
function settle(world: KeptWorld, told: () => void): void {
  void world.settled()
  told()
}

/** Runs a process. It tells what it has done as soon as a client would read it. */
function work(folder: Storage, told: Told): void {
  const { worlds } = told
  folder.saveSettings('{"name":"tanks"}')
  told.settings = '{"name":"tanks"}'
  const revised = { ...newWorld, summary: { ...summary, revision: 0 } }
  const world = folder.create('default', revised)
  settle(world, () => {
    worlds.set('default', { base: 0, last: 0 })
    told.starts = world.starts
  })
  let [base, last] = [0, 0]
  const append = (size = 2) => world.append(line(++last, size))
  const tell = () => settle(world, () => worlds.set('default', { base, last }))
  append()
  tell()
  for (const size of [2, 80, 2, 40, 2]) append(size)
  tell()
  const origin = putOrigin(world, '{"b":1}')
  last += 1
  world.append({ revision: last, text: JSON.stringify({ revision: last, origin }) })
  world.replaceBase({ parts: ['"2"'], revision: 2, originHash: world.originHash })
  base = 2
  tell()
  for (const size of [30, 2, 60]) append(size)
  world.writeTime('"now"')
  tell()
  world.replaceBase({ parts: ['"8"'], revision: 8, originHash: origin })
  base = 8
  append(50)
  append()

  folder.create('other', revised).append(line(1))
  worlds.set('other', { base: 0, last: 0 })
  // Meanwhile nobody knows.
  worlds.delete('other')
  folder.delete('other')
  worlds.set('other', 'deleted')
  tell()
  for (const size of [60, 2, 60, 2]) append(size)
  folder.close()
  worlds.set('default', { base, last })
}

/** Expects a folder to have all that a process has told, and nothing that it has not done. */
function check(folder: Storage, told: Told): void {
  if (told.settings !== undefined) expect(folder.settings).toBe(told.settings)
  for (const id of ['default', 'other']) {
    const expected = told.worlds.get(id)
    const world = folder.open(id)
    if (expected === 'deleted') expect(world).toBeUndefined()
    else if (expected) expect(world).toBeDefined()
    if (!world) continue
    const { base: toldBase = 0, last: toldLast = 0 } = expected === 'deleted' ? {} : (expected ?? {})
    const base = Number(JSON.parse(world.base ?? '0'))
    const lines = linesOf(world)
    expect(base).toBeGreaterThanOrEqual(toldBase)
    expect(lines.map(({ revision }) => revision)).toEqual(lines.map((_, i) => base + 1 + i))
    for (const { revision, text } of lines) expect(JSON.parse(text).revision).toBe(revision)
    expect(base + lines.length).toBeGreaterThanOrEqual(toldLast)
    expect(world.origin(world.originHash)).toBe(base === 8 ? '{"b":1}' : originText)
    if (id === 'default') expect(world.starts).toBeGreaterThan(told.starts)
    world.append(line(100))
  }
}

/** Returns the same random choices for the same seed. */
function choices(seed: number): () => boolean {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state > 2 ** 31
  }
}

function diskUntil(cutAt: number): Disk {
  const disk = new Disk(cutAt)
  try {
    disk.fs.mkdirSync('/home')
    disk.fs.fsyncSync(disk.fs.openSync('/', 'r'))
  } catch (error) {
    if (!(error instanceof PowerCut)) throw error
  }
  return disk
}

describe('a power cut at any call of a process that syncs always', () => {
  it('loses nothing that a client was told, and brings back no deleted world', () => {
    for (let cutAt = 2; ; cutAt += 1) {
      const told: Told = { settings: undefined, worlds: new Map(), starts: 0 }
      const disk = diskUntil(cutAt)
      let isCut = false
      try {
        work(openFolder(path, { fs: disk.fs, sync: 'always' }), told)
      } catch (error) {
        if (!(error instanceof PowerCut)) throw error
        isCut = true
      }
      vi.clearAllTimers()
      for (const [i, loss] of cuts.entries()) {
        const after = disk.after(loss, choices(cutAt * cuts.length + i))
        // It takes longer than ten seconds until the machine runs again.
        after.fs.rmSync(`${path}/.lock`)
        const folder = openFolder(path, { fs: after.fs })
        expect(() => check(folder, told), `cut at call ${cutAt}, ${JSON.stringify(loss)}`).not.toThrow()
        folder.close()
      }
      if (!isCut) {
        expect(cutAt).toBeGreaterThan(80)
        return
      }
    }
  })
})
