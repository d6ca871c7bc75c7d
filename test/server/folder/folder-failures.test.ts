import { appendFileSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { UsageError } from '../../../src/core/lib/messages.js'
import { type KeptWorld, StorageError } from '../../../src/core/storage/storage.js'
import { openFolder } from '../../../src/server/folder/folder.js'
import { fakeRealTimers } from '../../support/fake-real-timers.js'
import {
  appendAll,
  failingFs,
  filesIn,
  interceptedFs,
  line,
  newWorld,
  putOrigin,
  revisionsOf,
} from '../../support/kept-worlds.js'
import { contentOf, createWorld, reopen } from './opened-folders.js'

beforeEach(() => {
  vi.useFakeTimers()
  fakeRealTimers()
})

const second = () => vi.advanceTimersByTime(1000)

/** Records what the listeners of a world get. */
function watched(world: KeptWorld): (string | undefined)[] {
  const told: (string | undefined)[] = []
  world.watch(error => told.push(error?.message))
  return told
}

describe('a failed write', () => {
  it.each([
    ['ENOSPC', 'no space is left on the device: free some space'],
    ['EROFS', 'the file system is read-only: make it writable'],
    ['EIO', 'the disk or the terminal reports an error: check the disk and the log of the system'],
  ])('(%s) refuses lines with the same sentence, until a try each second succeeds', (code, reason) => {
    const { fs, failing } = failingFs()
    const { path, world, log } = createWorld({ fs })
    const told = watched(world)
    appendAll(world, 11)
    const message = `cannot write ${log}: ${reason}. Writing is tried again each second`

    failing.writeSync = code
    expect(() => world.append(line(12))).toThrow(new StorageError(message))
    second()
    failing.writeSync = undefined
    // It is refused at once, without a try.
    expect(() => world.append(line(12))).toThrow(new StorageError(message))
    expect(told).toEqual([message])
    second()
    expect(told).toEqual([message, undefined])
    appendAll(world, 12)

    expect(revisionsOf(reopen(path))).toEqual([11, 12])
  })

  it.each([0, 1, 20, 40])('that takes only %i bytes leaves no trace', taken => {
    let isFull = false
    const fs = interceptedFs((call, args, run) => {
      if (call !== 'writeSync' || !isFull) return run()
      const [fd, bytes] = args as [number, Buffer]
      return writeSync(fd, bytes.subarray(0, taken))
    })
    const { path, world, log } = createWorld({ fs })
    appendAll(world, 11)
    const before = readFileSync(log)

    isFull = true
    expect(() => world.append(line(12))).toThrow(/no space is left on the device: free some space/)
    expect(readFileSync(log)).toEqual(before)
    second()
    expect(readFileSync(log)).toEqual(before)
    expect(() => world.append(line(12))).toThrow(StorageError)

    isFull = false
    second()
    expect(readFileSync(log)).toEqual(before)
    appendAll(world, 12)
    expect(revisionsOf(reopen(path))).toEqual([11, 12])
  })

  it('stops one world, and no other', () => {
    const { fs, failing } = failingFs()
    const { folder, world } = createWorld({ fs })
    const other = folder.create('other', newWorld)
    failing.writeSync = 'ENOSPC'
    expect(() => world.append(line(11))).toThrow(StorageError)
    failing.writeSync = undefined

    appendAll(other, 11)
  })

  it('of a base is refused, and the world goes on', () => {
    const { fs, failing } = failingFs()
    const { path, world } = createWorld({ fs })
    appendAll(world, 11, 12)
    const before = filesIn(path)
    const replace = () => world.replaceBase({ parts: ['1'], revision: 11, originHash: world.originHash })

    for (const call of ['openSync', 'writeSync', 'fsyncSync', 'readSync', 'renameSync'] as const) {
      failing[call] = 'ENOSPC'
      expect(replace).toThrow(
        `cannot replace ${path}/default/base.json: no space is left on the device: free some space`,
      )
      expect(filesIn(path)).toEqual(before)
      failing[call] = undefined
    }
    appendAll(world, 13)
    replace()
    expect(contentOf(reopen(path))).toMatchObject({ base: '1', lines: [line(12), line(13)] })
  })

  it('of a new world is refused, and leaves nothing', () => {
    const { fs, failing } = failingFs()
    const { path, folder } = createWorld({ fs })
    const before = filesIn(path)

    for (const call of ['mkdirSync', 'writeSync', 'fsyncSync', 'renameSync'] as const) {
      failing[call] = 'ENOSPC'
      expect(() => folder.create('other', newWorld)).toThrow(
        `cannot create the world "other" in ${path}: no space is left on the device: free some space`,
      )
      expect(filesIn(path)).toEqual(before)
      failing[call] = undefined
    }
    folder.create('other', newWorld)
  })
})

describe('a failure of the disk', () => {
  it('is said in words, whichever call of node:fs meets it', () => {
    const calls = [
      'closeSync',
      'fdatasyncSync',
      'fstatSync',
      'fsyncSync',
      'ftruncateSync',
      'mkdirSync',
      'openSync',
    ] as const
    const others = ['readFileSync', 'readSync', 'readdirSync', 'renameSync', 'rmSync', 'statSync', 'writeSync'] as const
    for (const call of [...calls, ...others]) {
      const { fs, failing } = failingFs()
      const { path, folder, world, log } = createWorld({ fs })
      const told = watched(world)
      appendFileSync(log, 'torn')
      failing[call] = 'EIO'
      const attempts = [
        () => world.append(line(11)),
        () => world.replaceBase({ parts: ['1'], revision: 10, originHash: world.originHash }),
        () => putOrigin(world, '{}'),
        () => world.writeTime('1'),
        second,
        () => folder.saveSettings('1'),
        () => folder.create('other', newWorld),
        () => folder.delete('default'),
        () => folder.close(),
        () => {
          const next = openFolder(path, { fs })
          try {
            next.open('default')
          } finally {
            next.close()
          }
        },
      ]
      for (const attempt of attempts)
        try {
          attempt()
        } catch (error) {
          if (!(error instanceof StorageError || error instanceof UsageError)) throw error
          told.push(error.message)
        }
      expect(told.filter(text => text?.includes('EIO'))).toEqual([])
    }
  })
})

describe('a folder that is deleted or replaced under its process', () => {
  it('is a failed write within a second, until it is back', () => {
    const { path, world, log } = createWorld()
    appendAll(world, 11)
    const told = watched(world)

    renameSync(path, `${path}-away`)
    second()
    const message = `${log} was deleted or moved: put it back, or save the world with mockmaker export before you restart`
    expect(told).toEqual([message])
    expect(() => world.append(line(12))).toThrow(new StorageError(message))
    second()
    expect(told).toEqual([message])

    rmSync(path, { recursive: true, force: true })
    renameSync(`${path}-away`, path)
    second()
    expect(told).toEqual([message, undefined])
    appendAll(world, 12)
    expect(revisionsOf(reopen(path))).toEqual([11, 12])
  })
})

describe('syncing', () => {
  /** Lets a test end the syncs. */
  function heldSyncs() {
    const held: ((error: Error | null) => void)[] = []
    const fs = interceptedFs((call, args, run) => {
      if (call !== 'fdatasync') return run()
      return held.push(args.at(-1) as (error: Error | null) => void)
    })
    return { fs, held }
  }

  it('always: one sync serves all who wait', async () => {
    const { fs, held } = heldSyncs()
    const { world } = createWorld({ fs, sync: 'always' })
    const settled: number[] = []
    const append = (revision: number) => {
      appendAll(world, revision)
      return world.settled()?.then(() => settled.push(revision))
    }
    const first = append(11)
    const others = [append(12), append(13), append(14)]
    expect(held).toHaveLength(1)

    held[0]?.(null)
    await first
    expect(settled).toEqual([11])
    expect(held).toHaveLength(2)
    held[1]?.(null)
    await Promise.all(others)

    expect(settled).toEqual([11, 12, 13, 14])
    expect(held).toHaveLength(2)
    expect(world.settled()).toBeUndefined()
  })

  it('that fails stops the world until a restart', async () => {
    const { fs, failing } = failingFs()
    const { path, world, log } = createWorld({ fs, sync: 'always' })
    const told = watched(world)
    const message = `cannot sync ${log}: the disk or the terminal reports an error: check the disk and the log of the system. The world takes no change until you restart the mock`
    failing.fdatasync = 'EIO'
    appendAll(world, 11)

    await expect(world.settled()).rejects.toThrow(new StorageError(message))
    failing.fdatasync = undefined
    second()
    second()

    expect(told).toEqual([message])
    expect(() => world.append(line(12))).toThrow(new StorageError(message))
    expect(() => world.replaceBase({ parts: ['1'], revision: 11, originHash: world.originHash })).toThrow(message)
    await expect(world.settled()).rejects.toThrow(message)
    appendAll(reopen(path), 12)
  })
})
