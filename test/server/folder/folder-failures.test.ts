import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { type KeptWorld, StorageError } from '../../../src/core/storage/storage.js'
import {
  appendAll,
  contentOf,
  createWorld,
  failingFs,
  filesIn,
  fsError,
  interceptedFs,
  line,
  newWorld,
  openAgain,
  putOrigin,
  reopen,
  revisionsOf,
  summary,
} from '../../support/kept-worlds.js'

beforeEach(() => void vi.useFakeTimers())

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
    ['EIO', 'the device or the terminal does not respond'],
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

  it('is cut off before the next write, if it cannot be at once', () => {
    const { fs: _, failing } = failingFs()
    const fs = interceptedFs((call, args, run) => {
      const code = failing[call]
      if (code === undefined) return run()
      // A part is written, then the disk fails.
      if (call === 'writeSync') writeSync(args[0] as number, (args[1] as Buffer).subarray(0, 10))
      throw fsError(code, call)
    })
    const { path, world } = createWorld({ fs })
    appendAll(world, 11)

    failing.writeSync = failing.ftruncateSync = 'EIO'
    expect(() => world.append(line(12))).toThrow(StorageError)
    failing.writeSync = undefined
    second()
    expect(() => world.append(line(12))).toThrow(StorageError)
    // A process that is killed now leaves a torn tail.
    expect(contentOf(reopen(path))).toMatchObject({ cutBytes: 10, lines: [line(11)] })
  })

  it('needs as much space for its try as for the line', () => {
    let free = Number.POSITIVE_INFINITY
    const fs = interceptedFs((call, args, run) => {
      if (call === 'writeSync' && (args[1] as Buffer).length > free) throw fsError('ENOSPC')
      return run()
    })
    const { world } = createWorld({ fs })
    free = 1000

    expect(() => world.append(line(11, 2000))).toThrow(StorageError)
    second()
    expect(() => world.append(line(11))).toThrow(StorageError)
    free = 10_000
    second()
    appendAll(world, 11)
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

  it('of a time stops the world too, and does not throw', () => {
    const { fs, failing } = failingFs()
    const { path, world } = createWorld({ fs })
    const told = watched(world)
    failing.writeSync = 'ENOSPC'

    world.writeTime('1')
    world.writeTime('2')

    expect(told).toEqual([expect.stringContaining(`cannot write ${path}/default/time: no space is left on the device`)])
    failing.writeSync = undefined
    second()
    world.writeTime('3')
    expect(told).toHaveLength(2)
    expect(reopen(path).time).toBe('3')
  })

  it('of an origin is refused, and leaves no file', () => {
    const { fs, failing } = failingFs()
    const { path, world } = createWorld({ fs })
    const before = filesIn(path)
    failing.writeSync = 'ENOSPC'

    expect(() => putOrigin(world, '{"b":1}')).toThrow(
      /^cannot write .*\/origin-.*: no space is left on the device: free some space$/,
    )
    expect(filesIn(path)).toEqual(before)
    failing.writeSync = undefined
    putOrigin(world, '{"b":1}')
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

  it('of a base whose lines cannot go keeps both', () => {
    let renames = 0
    const fs = interceptedFs((call, args, run) => {
      if (call === 'renameSync' && String(args[0]).includes('default/') && ++renames === 2)
        throw fsError('EIO', 'rename')
      return run()
    })
    const { path, world } = createWorld({ fs })
    appendAll(world, 11, 12)
    const replace = () => world.replaceBase({ parts: ['1'], revision: 11, originHash: world.originHash })

    expect(replace).toThrow(StorageError)
    appendAll(world, 13)
    expect(world.bytesUpTo(11)).toBe(0)
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

  it('of the index costs nothing', () => {
    const { fs, failing } = failingFs()
    const { path, world } = createWorld({ fs })
    failing.renameSync = 'ENOSPC'
    second()
    world.summarize({ ...summary, title: 'Ships' })
    failing.renameSync = undefined
    second()

    expect(openAgain(path).list()).toMatchObject([{ title: 'Ships' }])
  })

  it('of a deletion is refused, and the world stays', () => {
    const { fs, failing } = failingFs()
    const { path, folder, world } = createWorld({ fs })
    failing.renameSync = 'EROFS'

    expect(() => folder.delete('default')).toThrow(
      `cannot delete the world "default" in ${path}: the file system is read-only: make it writable`,
    )
    failing.renameSync = undefined
    appendAll(world, 11)
    expect(revisionsOf(reopen(path))).toEqual([11])
  })

  it('at the opening of a world is refused', () => {
    const { fs, failing } = failingFs()
    const { path, log } = createWorld()
    const folder = openAgain(path, { fs })
    failing.writeSync = 'ENOSPC'
    expect(() => folder.open('default')).toThrow(`cannot write ${log}: no space is left on the device: free some space`)
    failing.writeSync = undefined
    expect(folder.open('default')).toBeDefined()
  })

  it('of the header is made up for later', () => {
    const { fs, failing } = failingFs()
    const { path, folder, world } = createWorld({ fs })
    const loose = { ...summary, isKept: false }
    failing.writeSync = 'ENOSPC'
    world.summarize(loose)
    failing.writeSync = undefined
    second()
    world.summarize(loose)
    rmSync(join(path, '.worlds.json'), { force: true })

    expect(folder.list()).toMatchObject([{ isKept: false }])
    expect(openAgain(path).list()).toMatchObject([{ isKept: false }])
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

  it('is noticed at the end, if it was deleted in the last second', () => {
    const { path, folder, world } = createWorld()
    const told = watched(world)
    rmSync(path, { recursive: true })

    folder.close()

    expect(told).toEqual([expect.stringMatching(/was deleted or moved/)])
  })

  it('takes no lines for good if it was deleted', () => {
    const { path, folder, world } = createWorld()
    rmSync(path, { recursive: true })
    second()
    second()

    expect(() => world.append(line(11))).toThrow(/was deleted or moved/)
    expect(() => folder.create('other', newWorld)).toThrow(
      `cannot create the world "other" in ${path}: it does not exist`,
    )
    folder.close()
  })

  it('takes no lines if its log is another file', () => {
    const { path, world, log } = createWorld()
    const bytes = readFileSync(log)
    renameSync(path, `${path}-away`)
    mkdirSync(join(path, 'default'), { recursive: true })
    writeFileSync(log, bytes)
    second()

    expect(() => world.append(line(11))).toThrow(
      new StorageError(`${log} was replaced by another file: put the old one back, or restart the mock`),
    )
    expect(readFileSync(log)).toEqual(bytes)
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

  it('happens each second, if something was appended', () => {
    const { fs, held } = heldSyncs()
    const { world } = createWorld({ fs })
    appendAll(world, 11, 12)
    expect(world.settled()).toBeUndefined()
    expect(held).toHaveLength(0)
    second()
    expect(held).toHaveLength(1)
    // One at a time.
    second()
    expect(held).toHaveLength(1)
    held[0]?.(null)
    second()
    expect(held).toHaveLength(1)
    appendAll(world, 13)
    second()
    expect(held).toHaveLength(2)
  })

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

  it('always: a new base and a closed world settle the lines before them', async () => {
    const { fs } = heldSyncs()
    const { world } = createWorld({ fs, sync: 'always' })
    appendAll(world, 11)
    const first = world.settled()
    world.replaceBase({ parts: ['1'], revision: 11, originHash: world.originHash })
    await first

    appendAll(world, 12)
    const next = world.settled()
    world.close()
    await next
  })

  it('of a file that a new base has replaced says nothing about the new file', () => {
    const { fs, held } = heldSyncs()
    const { world } = createWorld({ fs })
    appendAll(world, 11)
    second()
    for (const revision of [11, 12]) world.replaceBase({ parts: ['1'], revision, originHash: world.originHash })
    held[0]?.(fsError('EBADF', 'fdatasync'))

    appendAll(world, 13)
    second()
    expect(held).toHaveLength(2)
  })

  it('that fails stops the world until a restart', async () => {
    const { fs, failing } = failingFs()
    const { path, world, log } = createWorld({ fs, sync: 'always' })
    const told = watched(world)
    const message = `cannot sync ${log}: the device or the terminal does not respond. The world takes no change until you restart the mock`
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

  it('that fails each second stops the world too', async () => {
    const { fs, failing } = failingFs()
    const { world } = createWorld({ fs })
    const told = watched(world)
    appendAll(world, 11)
    failing.fdatasync = 'EIO'
    second()
    await Promise.resolve()

    expect(told).toEqual([expect.stringContaining('takes no change until you restart the mock')])
  })

  it('goes on while lines are refused', () => {
    const { fs: _, failing } = failingFs()
    let syncs = 0
    const fs = interceptedFs((call, _, run) => {
      if (call === 'fdatasync') syncs += 1
      if (failing[call] !== undefined) throw fsError('ENOSPC', call)
      return run()
    })
    const { world } = createWorld({ fs })
    appendAll(world, 11)
    failing.writeSync = 'ENOSPC'
    expect(() => world.append(line(12))).toThrow(StorageError)
    second()
    expect(syncs).toBe(1)
  })

  it('reaches the disk', async () => {
    vi.useRealTimers()
    const { world, log } = createWorld({ sync: 'always' })
    appendAll(world, 11)
    await world.settled()
    expect(world.settled()).toBeUndefined()
    expect(statSync(log).size).toBeGreaterThan(0)
  })
})
