import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { UsageError } from '../../../src/core/lib/messages.js'
import { StorageError } from '../../../src/core/storage/storage.js'
import { openFolder } from '../../../src/server/folder/folder.js'
import { type FileCalls, seal } from '../../../src/server/folder/folder-files.js'
import { FolderLock } from '../../../src/server/folder/folder-lock.js'
import { fakeRealTimers } from '../../support/fake-real-timers.js'
import { interceptedFs, line, newWorld, putOrigin, quickFs } from '../../support/kept-worlds.js'
import { createWorld } from './opened-folders.js'

beforeEach(() => {
  vi.useFakeTimers()
  fakeRealTimers()
})

/** No process has this number. */
const deadPid = 2 ** 22 + 1

/** Returns what the lock of this process says. */
function ownLock(path: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(path, '.lock'), 'utf8'))
}

/** Creates a folder whose lock another process has. */
function lockedBy(changes: Readonly<Record<string, unknown>>, { secondsAgo = 0 } = {}): string {
  const { path } = createWorld()
  const { format, crc32, ...own } = ownLock(path)
  writeLock(path, { ...own, id: 'other', ...changes })
  const touchedAt = statSync(join(path, '.lock')).mtimeMs / 1000 - secondsAgo
  utimesSync(join(path, '.lock'), touchedAt, touchedAt)
  return path
}

function writeLock(path: string, holder: object): void {
  writeFileSync(join(path, '.lock'), Buffer.concat([...seal([JSON.stringify(holder).slice(1, -1)])]))
}

/** Ends the refusal of a folder. */
const copied = (path: string) => `, or use another folder. If this folder is a copy, delete ${join(path, '.lock')}`

const take = (path: string, fs: FileCalls = quickFs) => new FolderLock(fs, path)

function isTaken(path: string, fs?: FileCalls): FolderLock | undefined {
  try {
    return take(path, fs)
  } catch (error) {
    if (error instanceof UsageError) return undefined
    throw error
  }
}

describe('the lock of a folder', () => {
  it('is refused to a second mock of the same process', () => {
    const { path } = createWorld()

    expect(() => openFolder(path)).toThrow(
      new UsageError(
        `the folder ${path} is in use by this process (${process.pid}): close the other mock first${copied(path)}`,
      ),
    )
  })

  it('is free when its folder was closed', () => {
    const { path, folder } = createWorld()
    folder.close()

    expect(existsSync(join(path, '.lock'))).toBe(false)
    openFolder(path).close()
  })

  it('is refused while another process of this machine runs', () => {
    const path = lockedBy({ pid: process.ppid, started: '' })

    expect(() => openFolder(path)).toThrow(
      new UsageError(
        `the folder ${path} is in use by another mockmaker (process ${process.ppid}): stop that process${copied(path)}`,
      ),
    )
  })

  it('is free at once when that process is gone', () => {
    const path = lockedBy({ pid: deadPid })

    openFolder(path).close()
  })

  it.runIf(process.platform === 'linux')('is free when another process has got its number', () => {
    openFolder(lockedBy({ started: '1' })).close()
  })

  it.each([
    [{ host: 'web-2' }, 'process 12 on the host web-2'],
    [{ pids: 'pid:[1]' }, 'process 12 in another container'],
  ])('of another host or container is refused until it was not touched for ten seconds', (changes, who) => {
    const path = lockedBy({ pid: 12, ...changes }, { secondsAgo: 9 })
    expect(() => openFolder(path)).toThrow(
      new UsageError(
        `the folder ${path} is in use by another mockmaker (${who}): stop that process, or if it has crashed, try again in 10 s${copied(path)}`,
      ),
    )

    openFolder(lockedBy({ pid: 12, ...changes }, { secondsAgo: 10.1 })).close()
  })

  it.each(['', '{"format":1,"pid":1', '\0'.repeat(150)])(
    'that a power cut has damaged is refused for ten seconds',
    content => {
      const { path } = createWorld()
      const file = join(path, '.lock')
      writeFileSync(file, content)
      expect(() => openFolder(path)).toThrow(
        `the folder ${path} is in use by another mockmaker, which has just started: try again in 10 s${copied(path)}`,
      )

      utimesSync(file, 1, 1)
      openFolder(path).close()
    },
  )

  it('of a newer version is refused', () => {
    const { path } = createWorld()
    writeFileSync(join(path, '.lock'), '{"format":2}')
    expect(() => openFolder(path)).toThrow(/\.lock has format 2, .* update mockmaker, or use another folder$/)
  })

  it('is touched each second', () => {
    const { path } = createWorld()
    const file = join(path, '.lock')
    const before = readFileSync(file)
    utimesSync(file, 1, 1)
    vi.advanceTimersByTime(1000)

    expect(statSync(file).mtimeMs).toBeGreaterThan(1_000_000)
    expect(readFileSync(file)).toEqual(before)
  })
})

describe('a process whose lock another one has taken', () => {
  const loss = (path: string) =>
    `another mockmaker (process 12 on the host web-2) has taken over the folder ${path}, and this one takes no more changes: use one process at a time, and restart this one`

  it('stops within a second, and tells the listeners', () => {
    const { path, folder, world, log } = createWorld()
    const told: unknown[] = []
    world.watch(error => told.push(error?.message))
    writeLock(path, { ...ownLock(path), id: 'other', pid: 12, host: 'web-2' })
    vi.advanceTimersByTime(3000)
    const before = readFileSync(log)

    expect(told).toEqual([loss(path)])
    expect(() => world.append(line(11))).toThrow(new StorageError(loss(path)))
    expect(() => putOrigin(world, '{"b":1}')).toThrow(loss(path))
    expect(() => world.replaceBase({ parts: ['1'], revision: 10, originHash: world.originHash })).toThrow(loss(path))
    expect(() => folder.create('other', newWorld)).toThrow(loss(path))
    expect(() => folder.open('other')).toThrow(loss(path))
    expect(() => folder.delete('default')).toThrow(loss(path))
    world.writeTime('1')
    folder.close()
    expect(readFileSync(log)).toEqual(before)
    expect(readdirSync(join(path, 'default'))).not.toContain('time')
    expect(ownLock(path)).toMatchObject({ id: 'other' })
    expect(readdirSync(path)).not.toContain('.worlds.json')
  })

  it('looks before it writes, if it was stopped for a while', () => {
    const { path, world } = createWorld()
    writeLock(path, { ...ownLock(path), id: 'other', pid: 12, host: 'web-2' })
    // No timer has run.
    vi.setSystemTime(Date.now() + 11_000)

    expect(() => world.append(line(11))).toThrow(loss(path))
  })
})

describe('two processes that take a stale lock over at once', () => {
  it.each([
    ['', quickFs],
    [', and has not removed the leftovers yet', interceptedFs((call, _, run) => (call === 'readdirSync' ? [] : run()))],
  ])('have one winner, wherever the second comes in%s', (_, secondFs) => {
    for (let at = 1, isInside = true; isInside; at += 1) {
      const path = lockedBy({ pid: deadPid })
      let second: FolderLock | undefined
      let calls = 0
      isInside = false
      const fs = interceptedFs((_, __, run) => {
        calls += 1
        if (calls === at) {
          isInside = true
          second = isTaken(path, secondFs)
        }
        return run()
      })

      const first = isTaken(path, fs)

      const winners = [first, second].filter(lock => lock !== undefined)
      if (isInside || at === 1) expect(winners).toHaveLength(1)
      expect(winners[0]?.touch()).toBeUndefined()
      expect(isTaken(path)).toBeUndefined()
    }
  })
})
