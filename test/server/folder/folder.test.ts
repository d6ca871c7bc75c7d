import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { UsageError } from '../../../src/core/lib/messages.js'
import { StorageError } from '../../../src/core/storage/storage.js'
import { openFolder } from '../../../src/server/folder/folder.js'
import type { FileCalls } from '../../../src/server/folder/folder-files.js'
import { fakeRealTimers } from '../../support/fake-real-timers.js'
import {
  appendAll,
  dataPath,
  filesIn,
  interceptedFs,
  line,
  newWorld,
  putOrigin,
  revisionsOf,
  summary,
} from '../../support/kept-worlds.js'
import { contentOf, createWorld, openAgain, reopen } from './opened-folders.js'
import { Disk } from './power-cut-disk.js'

beforeEach(() => {
  vi.useFakeTimers()
  fakeRealTimers()
})

describe('a world in a folder', () => {
  it('is gone when it was deleted, open or not', () => {
    const { path, folder, world } = createWorld()
    folder.create('other', newWorld).close()

    folder.delete('default')
    folder.delete('other')
    folder.delete('other')

    expect(() => world.append(line(11))).toThrow(StorageError)
    expect([folder.list(), folder.bytes, folder.open('default')]).toEqual([[], 0, undefined])
    expect(readdirSync(path)).toEqual(['.gitignore', '.lock'])
    expect(revisionsOf(folder.create('default', newWorld))).toEqual([])
  })

  it('costs the same, however many there are', () => {
    let calls = 0
    let written = 0
    const fs = new Proxy(new Disk().fs, {
      get(own, name: keyof FileCalls) {
        return (...args: unknown[]) => {
          calls += 1
          if (name === 'writeSync') written += (args[1] as Buffer).length
          return (own[name] as (...args: unknown[]) => unknown)(...args) // the arguments are those of the caller
        }
      },
    })
    const folder = openFolder('/worlds', { fs })
    const costs = Array.from({ length: 300 }, (_, i) => {
      const before = calls
      folder.create(`world${i}`, newWorld).close()
      return calls - before
    })
    expect(new Set(costs).size).toBe(1)

    // The index has all worlds, so it is not written each second.
    written = 0
    vi.advanceTimersByTime(5_000)
    expect(written).toBeLessThan(300 * 300)
    folder.close()
  })

  it('is not created twice', () => {
    const { path, folder } = createWorld()

    expect(() => folder.create('default', newWorld)).toThrow(
      `cannot create the world "default": ${path}/default exists. Delete the world first`,
    )
    expect(readdirSync(path).sort()).toEqual(['.gitignore', '.lock', 'default'])
  })

  it('has a folder of its own on file systems that ignore case, and on Windows', () => {
    const { path, folder } = createWorld()
    for (const id of ['Default', 'DEFAULT', 'nul', 'a_-9']) folder.create(id, newWorld)

    const names = ['+d+e+f+a+u+l+t', '+default', 'a_-9', 'default', 'nul+']
    expect(readdirSync(path).filter(name => !name.startsWith('.'))).toEqual(names)
    expect(
      openAgain(path)
        .list()
        .map(({ id }) => id),
    ).toEqual(['DEFAULT', 'Default', 'a_-9', 'default', 'nul'])
  })

  it.each(['../x', 'a/b', '', '.lock', 'x'.repeat(65)])('has no id such as %j', id => {
    const { folder } = createWorld()
    expect(() => folder.create(id, newWorld)).toThrow(/^the world id ".*" is invalid: use 1 to 64 of A-Z a-z 0-9 _ -$/)
  })

  it('has files for their owner only', () => {
    const { path, folder, world } = createWorld()
    world.writeTime('1')
    world.replaceBase({ parts: ['1'], revision: 10, originHash: world.originHash })
    folder.close()

    const modes = readdirSync(path, { recursive: true, encoding: 'utf8' }).map(
      name => `${name} ${(statSync(join(path, name)).mode & 0o777).toString(8)}`,
    )
    expect(modes.sort()).toEqual([
      '.gitignore 600',
      '.worlds.json 600',
      'default 700',
      'default/base.json 600',
      'default/log 600',
      `default/origin-${world.originHash}.json 600`,
      'default/time 600',
    ])
    expect(statSync(path).mode & 0o777).toBe(0o700)
  })

  it.each(['base.json', 'time', 'origin'])('of a newer version is refused, by its %s', name => {
    const { path, world } = createWorld()
    world.writeTime('1')
    const file = join(path, 'default', name === 'origin' ? `origin-${world.originHash}.json` : name)
    writeFileSync(file, '{"format":2,"new":true}')

    const message = `${file} has format 2, and this version of mockmaker reads formats up to 1`
    expect(() => reopen(path).origin(world.originHash)).toThrow(message)
  })

  it.each([
    [
      'a base that is damaged',
      'base.json',
      (text: string) => text.replace('revision', 'revisiom'),
      / is damaged: restore it from a copy, or delete the world \(its folder is .*default\)$/,
    ],
    ['an empty base', 'base.json', () => '', /base\.json is damaged/],
    ['no base', 'base.json', undefined, /base\.json is missing: restore it from a copy, or delete the world/],
    ['no log', 'log', undefined, /log is missing: restore it from a copy, or delete the world/],
  ])('with %s is refused, and the others go on', (_, name, change, message) => {
    const { path, folder } = createWorld()
    folder.create('other', newWorld)
    const file = join(path, 'default', name)
    if (change) writeFileSync(file, change(readFileSync(file, 'utf8')))
    else rmSync(file)
    const before = filesIn(join(path, 'default'))

    const again = openAgain(path)

    expect(() => again.open('default')).toThrow(StorageError)
    expect(() => again.open('default')).toThrow(message)
    expect(again.open('other')).toBeDefined()
    // Nothing deletes it because nobody uses it.
    expect(again.list()[0]).toMatchObject({ id: 'default', isKept: true })
    again.close()
    expect(filesIn(join(path, 'default'))).toEqual(before)
    openAgain(path).delete('default')
    expect(existsSync(join(path, 'default'))).toBe(false)
  })
})

describe('the origins of a world', () => {
  it('are refused if their content has changed', () => {
    const { path, world } = createWorld()
    const other = putOrigin(world, '{"b":1}')
    const file = (hash: string) => join(path, 'default', `origin-${hash}.json`)
    writeFileSync(file(world.originHash), readFileSync(file(other)))

    expect(() => world.origin(world.originHash)).toThrow(/has other content than its name says/)
  })
})

describe('the list of worlds', () => {
  it.each([
    ['missing', undefined],
    ['damaged', '{"format":1,"worlds":[]}'],
    ['empty', ''],
  ])('reads the worlds if the index is %s', (_, index) => {
    const { path, folder, world } = createWorld()
    appendAll(world, 11)
    world.summarize({ ...summary, title: 'Ships', isKept: false, seed: 8, revision: 11 })
    folder.close()
    if (index === undefined) rmSync(join(path, '.worlds.json'))
    else writeFileSync(join(path, '.worlds.json'), index)

    const again = openAgain(path)

    expect(again.list()).toMatchObject([{ id: 'default', title: 'Ships', isKept: false, seed: 8, revision: 11 }])
    expect(again.bytes).toBe(folder.bytes)
  })

  it('knows what has happened since the index was written', () => {
    const { path, folder, world } = createWorld()
    vi.advanceTimersByTime(1000)
    appendAll(world, 11)
    world.summarize({ ...summary, isKept: false, revision: 11 })
    folder.create('other', { ...newWorld, summary: { ...summary, title: 'Other' } })

    expect(openAgain(path).list()).toMatchObject([
      { id: 'default', isKept: false, revision: 11 },
      { id: 'other', title: 'Other' },
    ])
  })

  it('leaves other folders and files alone', () => {
    const { path, folder } = createWorld()
    mkdirSync(join(path, 'notes'))
    writeFileSync(join(path, 'readme'), '')
    expect(openAgain(path).list()).toHaveLength(1)
    expect(folder.open('notes')).toBeUndefined()
    expect(() => openAgain(path).create('readme', newWorld)).toThrow(/readme exists/)
  })

  it.each([
    ['a file log', (server: string) => writeFileSync(join(server, 'log'), 'my log')],
    ['a folder log', (server: string) => mkdirSync(join(server, 'log'))],
    ['a base.json of another program', (server: string) => writeFileSync(join(server, 'base.json'), '{}')],
  ])('does not take a folder of somebody else for a world, nor deletes it: one with %s', (_, make) => {
    const { path } = createWorld()
    const server = join(path, 'server')
    mkdirSync(server)
    make(server)
    const folder = openAgain(path)

    folder.delete('server')

    expect(folder.list().map(({ id }) => id)).toEqual(['default'])
    expect(folder.open('server')).toBeUndefined()
    expect(readdirSync(server)).toHaveLength(1)
  })
})

describe('a folder', () => {
  it.for([
    'valkey://user:secret@127.0.0.1:6379',
    'redis+tls://user:secret@127.0.0.1',
    'redis://user:secret@127.0.0.1',
    'HTTP://user:secret@127.0.0.1',
    'file:///worlds',
  ])('is not made of a URL: %s', url => {
    const scheme = url.slice(0, url.indexOf('//'))

    expect(() => openFolder(url)).toThrow(
      new UsageError(
        `the place of the worlds begins with ${scheme}, and is no folder: name a folder by its path. The command mockmaker also takes redis://host:port, or rediss://host:port with TLS`,
      ),
    )
  })

  it.each(['"redis://:secret@127.0.0.1:6379"', ' redis://:secret@127.0.0.1', 'redis//:secret@127.0.0.1'])(
    'is not made of a URL with a typing error: %s',
    url => {
      expect(() => openFolder(url)).toThrow(/^the place of the worlds looks like a URL(?!.*secret)/)
    },
  )

  it('is ignored by Git if it is new', () => {
    const { path, folder } = createWorld()
    const gitignore = join(path, '.gitignore')
    expect(readFileSync(gitignore, 'utf8')).toBe('*\n')

    folder.close()
    writeFileSync(gitignore, 'mine')
    openAgain(path)
    expect(readFileSync(gitignore, 'utf8')).toBe('mine')
  })

  it('is not ignored by Git if somebody has files there', () => {
    const path = dataPath()
    mkdirSync(path)
    writeFileSync(join(path, 'code.ts'), '')
    openAgain(path)

    expect(existsSync(join(path, '.gitignore'))).toBe(false)
  })

  it.each([
    ['log', 'ERR_FS_FILE_TOO_LARGE', 'it is larger than 2 GiB'],
    ['base.json', 'ERR_STRING_TOO_LONG', 'it is larger than 512 MiB'],
  ])('goes on without a world whose %s is too long (%s)', (name, code, reason) => {
    const { path, folder } = createWorld()
    folder.create('other', newWorld)
    const file = join(path, 'default', name)
    const fail = () => {
      throw Object.assign(new RangeError(), { code })
    }
    const fs = interceptedFs((call, args, run) => {
      if (call !== 'readFileSync' || args[0] !== file) return run()
      // Node.js reads a base of that length, and cannot make a text of it.
      return name === 'log' ? fail() : Object.assign(readFileSync(file), { toString: fail })
    })
    rmSync(join(path, '.worlds.json'), { force: true })
    const again = openAgain(path, { fs })

    expect(() => again.open('default')).toThrow(new StorageError(`cannot read ${file}: ${reason}`))
    expect(again.open('other')).toBeDefined()
  })

  it('says that its scenario is damaged, and how to go on', () => {
    const { path, folder } = createWorld()
    folder.saveSettings('{}')
    const file = join(path, '.scenario.json')
    writeFileSync(file, 'x')

    expect(() => folder.settings).toThrow(
      `${file} is damaged: restore it from a copy, or delete this file. The worlds stay`,
    )
  })

  it('is refused if it is a file, or cannot be made', () => {
    const path = dataPath()
    expect(() =>
      openFolder(path, {
        fs: interceptedFs(() => {
          throw Object.assign(new Error(), { code: 'EROFS', syscall: 'mkdir' })
        }),
      }),
    ).toThrow(`cannot use the folder ${path}: the file system is read-only: make it writable`)
    writeFileSync(path, '')
    expect(() => openFolder(path)).toThrow(`${path} is a file: name a folder`)
    expect(() => openFolder(join(path, 'x'))).toThrow(
      `cannot use the folder ${join(path, 'x')}: part of the path is not a folder`,
    )
  })

  it('of a newer version is refused, and left to others', () => {
    const { path, folder } = createWorld()
    folder.close()
    writeFileSync(join(path, '.worlds.json'), '{"format":2}')

    expect(() => openFolder(path)).toThrow(/\.worlds\.json has format 2, .* update mockmaker, or use another folder$/)
    expect(existsSync(join(path, '.lock'))).toBe(false)
  })
})

describe('a folder that is only read', () => {
  it('is read while another process serves it, and nothing changes', () => {
    const { path, world, log } = createWorld()
    appendAll(world, 11, 12)
    writeFileSync(log, readFileSync(log).subarray(0, -3))
    const before = filesIn(path)

    const folder = openFolder(path, { readOnly: true })
    const read = folder.open('default')
    vi.advanceTimersByTime(3000)

    expect(folder.list()).toMatchObject([{ id: 'default', revision: 11 }])
    expect(contentOf(read)).toMatchObject({ lines: [line(11)], originHash: world.originHash, starts: 2 })
    expect(read?.cutBytes).toBeGreaterThan(0)
    expect(() => read?.append(line(13))).toThrow(/is open for reading only/)
    read?.close()
    folder.close()
    expect({ ...filesIn(path), '.worlds.json': '' }).toEqual({ ...before, '.worlds.json': '' })
  })

  it('that does not exist is refused', () => {
    const path = dataPath()
    expect(() => openFolder(path, { readOnly: true })).toThrow(`there is no folder ${path}`)
    expect(existsSync(path)).toBe(false)
  })
})
