import { cpSync, rmSync, writeSync } from 'node:fs'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Storage } from '../../../src/core/storage/storage.js'
import { openFolder } from '../../../src/server/folder/folder.js'
import type { FileCalls } from '../../../src/server/folder/folder-files.js'
import { fakeRealTimers } from '../../support/fake-real-timers.js'
import {
  dataPath,
  filesIn,
  interceptedFs,
  line,
  linesOf,
  newWorld,
  originText,
  putOrigin,
  quickFs,
  revisionsOf,
  summary,
} from '../../support/kept-worlds.js'
import { openAgain, unlock } from './opened-folders.js'

beforeEach(() => {
  vi.useFakeTimers()
  fakeRealTimers()
})

/** How a process is killed: after a call, or when a write is half done. */
const kills = ['halfway', 'after'] as const

/** The process was killed at a call of `node:fs`. */
class Killed extends Error {}

/**
 * The calls of `node:fs` of a process that is killed at its call number `at`, or halfway at its write number `at`. From then on it
 * makes none. Halfway at another call is after the call before it.
 */
function killedFs(kill: (typeof kills)[number], at: number): FileCalls {
  let calls = 0
  return interceptedFs((call, args, run) => {
    if (calls >= at) throw new Killed()
    if (kill === 'after' || call === 'writeSync') calls += 1
    if (calls < at) return run()
    if (kill === 'after') run()
    else {
      const [fd, bytes, ...where] = args as [number, Buffer, number | undefined, number | undefined, number | undefined]
      const half = bytes.subarray(0, Math.floor(bytes.length / 2))
      writeSync(fd, half, where[0] ?? 0, undefined, where[2])
    }
    throw new Killed()
  })
}

/** Runs a process until it ends or is killed. Returns true if it was killed. */
function runUntilKilled(run: () => void): boolean {
  try {
    run()
    return false
  } catch (error) {
    if (error instanceof Killed) return true
    throw error
  }
}

/**
 * Runs a process that is killed at its first call or write, another one that is killed at its second, and so on. Each finds the folder as
 * `prepare` left it. `check` sees the folder after each.
 */
function killEverywhere(options: {
  readonly kill: (typeof kills)[number]
  prepare?(folder: Storage): void
  run(folder: Storage): void
  check(folder: Storage): void
}): number {
  const { kill, prepare, run, check } = options
  const path = dataPath()
  const before = `${path}-before`
  if (prepare) {
    const folder = openFolder(before, { fs: quickFs })
    prepare(folder)
    folder.close()
  }
  for (let at = 1; ; at += 1) {
    rmSync(path, { recursive: true, force: true })
    if (prepare) cpSync(before, path, { recursive: true })
    const start = (fs: FileCalls, work: (folder: Storage) => void) => {
      unlock(path)
      return runUntilKilled(() => work(openFolder(path, { fs })))
    }
    const wasKilled = start(killedFs(kill, at), run)
    // The next start may be killed too.
    start(killedFs(kill, kill === 'after' ? (at * 7) % 40 : at % 4), folder => void folder.open('default'))
    const folder = openAgain(path)
    check(folder)
    folder.close()
    vi.clearAllTimers()
    if (!wasKilled) return at
  }
}

describe.each(kills)('a process that is killed (%s) at any of its calls', kill => {
  it('loses no line that was acknowledged, and gets no part of another', () => {
    let acknowledged = 0
    let tried = 0
    let base = 0
    let starts = 0
    const append = (world: { append(line: { revision: number; text: string }): void }, text?: string) => {
      tried += 1
      world.append({ ...line(tried), ...(text === undefined ? {} : { text }) })
      acknowledged = tried
    }

    const calls = killEverywhere({
      kill,
      prepare: folder => folder.create('default', { ...newWorld, summary: { ...summary, revision: 0 } }),
      run(folder) {
        acknowledged = tried = base = starts = 0
        const world = folder.open('default')
        if (!world) throw new Error('there is no world')
        starts = world.starts
        append(world)
        append(world)
        const origin = putOrigin(world, '{"b":1}')
        append(world, `{"origin":"${origin}"}`)
        world.replaceBase({ parts: ['"1"'], revision: 1, originHash: world.originHash })
        base = 1
        append(world)
        world.writeTime('"now"')
        append(world)
        world.replaceBase({ parts: ['"4"'], revision: 4, originHash: origin })
        base = 4
        append(world)
        world.summarize({ ...summary, title: 'Ships', revision: 6 })
        folder.close()
      },
      check(folder) {
        const world = folder.open('default')
        if (!world) throw new Error('there is no world')
        const newBase = Number(JSON.parse(world.base ?? '0'))
        const revisions = revisionsOf(world) ?? []
        const last = newBase + revisions.length
        expect(newBase).toBeGreaterThanOrEqual(base)
        expect(revisions).toEqual(revisions.map((_, i) => newBase + 1 + i))
        expect(last).toBeGreaterThanOrEqual(acknowledged)
        expect(last).toBeLessThanOrEqual(tried)
        expect(world.starts).toBeGreaterThan(starts)
        expect(world.origin(world.originHash)).toBe(newBase === 4 ? '{"b":1}' : originText)
        for (const { text } of world.lines) {
          const { origin } = JSON.parse(text)
          if (origin) expect(world.origin(origin)).toBe('{"b":1}')
        }
        expect(folder.list()).toMatchObject([{ id: 'default', revision: last }])
        world.append(line(100))
        expect(Object.keys(filesIn(folder.place)).filter(name => name.endsWith('.new'))).toEqual([])
      },
    })

    expect(calls).toBeGreaterThan(kill === 'after' ? 60 : 8)
  })

  it('leaves a new world whole, or none', () => {
    let isCreated = false
    killEverywhere({
      kill,
      run(folder) {
        isCreated = false
        folder.create('default', newWorld)
        isCreated = true
        folder.close()
      },
      check(folder) {
        const world = folder.open('default')
        if (isCreated) expect(world).toBeDefined()
        expect(folder.list()).toHaveLength(world ? 1 : 0)
        const whole = world ?? folder.create('default', newWorld)
        expect(whole.origin(whole.originHash)).toBe(originText)
        whole.append(line(100))
      },
    })
  })

  it('leaves a deleted world whole, or none', () => {
    let isDeleted = false
    killEverywhere({
      kill,
      prepare: folder => folder.create('default', newWorld).append(line(11)),
      run(folder) {
        isDeleted = false
        folder.open('default')
        folder.delete('default')
        isDeleted = true
        folder.close()
      },
      check(folder) {
        const world = folder.open('default')
        if (isDeleted) expect(world).toBeUndefined()
        if (world) expect(linesOf(world)).toEqual([line(11)])
        folder.delete('default')
        expect(linesOf(folder.create('default', newWorld))).toEqual([])
        expect(Object.keys(filesIn(folder.place)).some(name => name.includes('.deleted'))).toBe(false)
      },
    })
  })
})
