import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { runAtOnce } from '../../../src/core/lib/steps.js'
import { UsageError } from '../../../src/core/lib/usage-error.js'
import { StorageError } from '../../../src/core/storage/storage.js'
import { openFolder } from '../../../src/server/folder/folder.js'
import {
  appendAll,
  contentOf,
  createWorld,
  dataPath,
  filesIn,
  fsError,
  interceptedFs,
  line,
  linesOf,
  newWorld,
  openAgain,
  originText,
  putOrigin,
  quickFs,
  reopen,
  revisionsOf,
  summary,
} from '../../support/kept-worlds.js'

beforeEach(() => void vi.useFakeTimers())

describe('a world in a folder', () => {
  it('begins with its origin alone', () => {
    const { world } = createWorld()

    expect(contentOf(world)).toMatchObject({ starts: 1, base: undefined, lines: [], time: undefined, cutBytes: 0 })
    expect(world.origin(world.originHash)).toBe(originText)
  })

  it('begins with a first state, if it has one', () => {
    const { path, world } = createWorld({ start: { ...newWorld, base: '{"rows":1}' } })

    expect(world.base).toBe('{"rows":1}')
    expect(reopen(path).base).toBe('{"rows":1}')
  })

  it('has its lines and its summary after its process was killed', () => {
    const { path, world } = createWorld()
    appendAll(world, 11, 12)

    expect(linesOf(reopen(path))).toEqual([line(11), line(12)])
    expect(openAgain(path).list()).toEqual([{ id: 'default', ...summary, revision: 12, usedAt: expect.any(Number) }])
  })

  it('counts its starts', () => {
    const { path, world } = createWorld()
    appendAll(world, 11)
    world.replaceBase({ parts: ['1'], revision: 11, originHash: world.originHash })

    expect([reopen(path).starts, reopen(path).starts]).toEqual([2, 3])
  })

  it('frees its content when it is told to', () => {
    const { path } = createWorld()
    const world = reopen(path)
    world.release()

    expect(contentOf(world)).toMatchObject({ base: undefined, lines: [] })
  })

  it('is closed, and opened again by the same process', () => {
    const { folder, world } = createWorld()
    appendAll(world, 11)
    world.close()

    expect(() => world.append(line(12))).toThrow(/is closed: open the world again/)
    expect(revisionsOf(folder.open('default'))).toEqual([11])
  })

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

  it('has a format version in each file', () => {
    const { path, folder, world } = createWorld()
    world.writeTime('1')
    folder.close()

    const { '.gitignore': _, ...files } = filesIn(path)
    expect(Object.values(files)).toEqual(Array(5).fill(expect.stringMatching(/^[^\n]*"format":1,/)))
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
  it('are stored once', () => {
    const { path, world } = createWorld()

    expect(putOrigin(world, originText)).toBe(world.originHash)
    expect(putOrigin(world, '{"b":1}')).toBe(putOrigin(world, '{"b":1}'))
    expect(Object.keys(filesIn(path)).filter(name => name.includes('origin'))).toHaveLength(2)
  })

  it('stay while the base or a line names them', () => {
    const { path, world } = createWorld()
    const first = world.originHash
    const [second, third] = [putOrigin(world, '{"b":1}'), putOrigin(world, '{"c":1}')]
    world.append({ revision: 11, text: `{"origin":"${second}"}` })
    world.append({ revision: 12, text: `{"origin":"${third}"}` })

    world.replaceBase({ parts: ['1'], revision: 11, originHash: second })

    const again = reopen(path)
    expect(again.originHash).toBe(second)
    expect([again.origin(second), again.origin(third)]).toEqual(['{"b":1}', '{"c":1}'])
    expect(() => again.origin(first)).toThrow(/origin-.*\.json is missing: restore it from a copy, or delete the world/)
    expect(Object.keys(filesIn(path)).filter(name => name.includes('origin'))).toHaveLength(2)
  })

  it('are refused if their content has changed', () => {
    const { path, world } = createWorld()
    const other = putOrigin(world, '{"b":1}')
    const file = (hash: string) => join(path, 'default', `origin-${hash}.json`)
    writeFileSync(file(world.originHash), readFileSync(file(other)))

    expect(() => world.origin(world.originHash)).toThrow(/has other content than its name says/)
  })
})

describe('a base', () => {
  it('takes the place of the lines up to its revision', () => {
    const { path, world } = createWorld()
    appendAll(world, 11, 12, 13)
    expect(world.bytesUpTo(12)).toBeGreaterThan(world.bytesUpTo(11))

    world.replaceBase({
      parts: ['{"rows":', '"', 'é'.repeat(200_000), '"}'],
      revision: 12,
      originHash: world.originHash,
    })
    appendAll(world, 14)

    expect([10, 12, 13, 14].map(revision => world.bytesUpTo(revision) > 0)).toEqual([false, false, true, true])
    expect(world.baseBytes).toBe(statSync(join(path, 'default', 'base.json')).size)
    const again = reopen(path)
    expect(again.base).toBe(`{"rows":"${'é'.repeat(200_000)}"}`)
    expect(linesOf(again)).toEqual([line(13), line(14)])
    expect(again.bytesUpTo(14)).toBe(world.bytesUpTo(14))
  })

  it('is written in steps, between which lines are appended', () => {
    const { path, world } = createWorld()
    appendAll(world, 11, 12)
    const parts = Array.from({ length: 20 }, (_, i) => String(i % 10).repeat(30_000))
    let last = 12

    for (const _ of world.replaceBaseInSteps?.({ parts, revision: 11, originHash: world.originHash }) ?? [])
      appendAll(world, ++last)

    expect(last).toBeGreaterThan(15)
    expect(reopen(path).base).toBe(parts.join(''))
    expect(revisionsOf(reopen(path))).toEqual(Array.from({ length: last - 11 }, (_, i) => 12 + i))
  })

  it('stays as it is if the world is closed or deleted on the way, also for a new world of its id', () => {
    for (const end of ['close', 'delete'] as const) {
      const { path, folder, world } = createWorld()
      appendAll(world, 11)
      const steps = world.replaceBaseInSteps?.({ parts: ['1'], revision: 11, originHash: world.originHash })
      steps?.next()
      if (end === 'close') world.close()
      else folder.delete('default')
      const after = end === 'close' ? folder.open('default') : folder.create('default', newWorld)
      // It replaces its base too.
      after?.replaceBaseInSteps?.({ parts: ['2'], revision: 11, originHash: after.originHash }).next()
      const before = filesIn(join(path, 'default'))

      expect(Object.keys(before)).toContain('base.json.new')
      expect(() => steps && runAtOnce(steps)).toThrow(/ is closed: open the world again$/)
      expect(filesIn(join(path, 'default'))).toEqual(before)
      expect(revisionsOf(after)).toEqual(end === 'close' ? [11] : [])
    }
  })

  it('may be replaced again and again', () => {
    const { path, world } = createWorld()
    for (let revision = 11; revision < 40; revision += 1) {
      world.append(line(revision))
      if (revision % 3 === 0)
        world.replaceBase({ parts: [`${revision}`], revision: revision - 2, originHash: world.originHash })
    }

    expect(contentOf(reopen(path))).toMatchObject({ base: '39', lines: [line(38), line(39)] })
  })

  it('is JSON that other programs read', () => {
    const { path, world } = createWorld()
    world.replaceBase({ parts: ['{"rows":[1]}'], revision: 10, originHash: world.originHash })

    expect(JSON.parse(readFileSync(join(path, 'default', 'base.json'), 'utf8'))).toMatchObject({
      format: 1,
      revision: 10,
      base: { rows: [1] },
    })
  })
})

describe('the time of a world', () => {
  it('is overwritten in place, by shorter and longer ones', () => {
    const { path, world } = createWorld()
    const inode = () => statSync(join(path, 'default', 'time')).ino
    world.writeTime('{"now":1}')
    const first = inode()
    const long = JSON.stringify({ words: 'x'.repeat(500) })
    world.writeTime(long)
    expect(reopen(path).time).toBe(long)

    world.writeTime('{"now":2}')

    expect(reopen(path).time).toBe('{"now":2}')
    expect(inode()).toBe(first)
  })

  it('is unknown after a power cut that damaged it', () => {
    const { path, world } = createWorld()
    world.writeTime('{"now":1}')
    writeFileSync(join(path, 'default', 'time'), Buffer.alloc(256))

    expect(reopen(path).time).toBeUndefined()
  })
})

describe('the list of worlds', () => {
  it('reads the index, and no log', () => {
    const { path, folder, world } = createWorld()
    appendAll(world, 11)
    world.summarize({ ...summary, title: 'Ships', now: 5, usedAt: 6, revision: 11 })
    folder.close()
    const read: string[] = []
    const fs = interceptedFs((call, args, run) => {
      if (call === 'readFileSync') read.push(String(args[0]))
      return run()
    })

    const again = openAgain(path, { fs })

    expect(again.list()).toEqual([{ ...summary, id: 'default', title: 'Ships', revision: 11, now: 5, usedAt: 6 }])
    expect(read).toEqual([join(path, '.worlds.json')])
  })

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

  it('is written at most once a second, if something has changed, and at the end', () => {
    const { path, folder, world } = createWorld()
    const index = () => filesIn(path)['.worlds.json']
    appendAll(world, 11)
    expect(index()).toBeUndefined()
    vi.advanceTimersByTime(1000)
    expect(index()).toContain('"revision":11')
    rmSync(join(path, '.worlds.json'))
    vi.advanceTimersByTime(5000)
    expect(index()).toBeUndefined()
    appendAll(world, 12)
    folder.close()
    expect(index()).toContain('"revision":12')
  })

  it('has the live numbers of open worlds, and the last ones of closed worlds', () => {
    const { folder, world } = createWorld()
    appendAll(world, 11)
    world.summarize({ ...summary, revision: 11, now: 77 })
    expect(folder.list()).toMatchObject([{ revision: 11, now: 77 }])
    appendAll(world, 12)
    world.close()
    expect(folder.list()).toMatchObject([{ revision: 12, now: 77 }])
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

  it('tells the bytes of its files', () => {
    const { path, folder, world } = createWorld()
    const onDisk = () =>
      Object.entries(filesIn(path)).reduce((sum, [name, text]) => sum + (name.startsWith('.') ? 0 : text.length), 0)
    appendAll(world, 11, 12)
    world.writeTime('1')
    putOrigin(world, '{"b":1}')
    expect(folder.bytes).toBe(onDisk())

    world.replaceBase({ parts: ['"a longer base"'], revision: 11, originHash: world.originHash })
    folder.create('other', newWorld)

    expect(folder.bytes).toBe(onDisk())
    folder.close()
    expect(openAgain(path).bytes).toBe(onDisk())
  })

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

  it('is usable if Git cannot be told', () => {
    const path = dataPath()
    const fs = interceptedFs((call, args, run) => {
      if (call === 'openSync' && String(args[0]).endsWith('.gitignore')) throw fsError('EACCES', 'open')
      return run()
    })

    expect(openAgain(path, { fs }).list()).toEqual([])
  })

  it('is opened without its list of worlds, if that cannot be read', () => {
    const { path } = createWorld()
    openAgain(path).close()
    rmSync(join(path, '.worlds.json'))
    mkdirSync(join(path, '.worlds.json'))

    expect(
      openAgain(path)
        .list()
        .map(({ id }) => id),
    ).toEqual(['default'])
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

  it('says that a folder without an origin is no world', () => {
    const { path, world } = createWorld()
    rmSync(join(path, 'default', `origin-${world.originHash}.json`))

    expect(() => openAgain(path).create('default', newWorld)).toThrow(
      'is no world: it has no origin-….json. Move it away',
    )
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

  it('refuses a place where no folder can be made', () => {
    expect(() => openFolder('/proc/mockmaker/data')).toThrow(/^cannot use the folder \/proc\/mockmaker\/data: /)
  })

  it('of a newer version is refused, and left to others', () => {
    const { path, folder } = createWorld()
    folder.close()
    writeFileSync(join(path, '.worlds.json'), '{"format":2}')

    expect(() => openFolder(path)).toThrow(/\.worlds\.json has format 2, .* update mockmaker, or use another folder$/)
    expect(existsSync(join(path, '.lock'))).toBe(false)
  })

  it('opens nothing when it is closed', () => {
    const { folder } = createWorld()
    folder.close()
    folder.close()
    expect(() => folder.open('default')).toThrow(/is closed: open it again/)
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

  it('has all lines, whenever the other process replaces the base', () => {
    const { path, world } = createWorld()
    appendAll(world, 11, 12, 13)
    for (let call = 0; call < 12; call += 1) {
      let calls = 0
      const fs = interceptedFs((_, __, run) => {
        calls += 1
        const last = 13 + call
        if (calls === call + 5) {
          world.append(line(last + 1))
          world.replaceBase({ parts: [String(last)], revision: last, originHash: world.originHash })
        }
        return run()
      })

      const read = openFolder(path, { readOnly: true, fs }).open('default')

      const base = read?.base === undefined ? 10 : Number(read.base)
      const revisions = revisionsOf(read) ?? []
      expect(revisions).toEqual(revisions.map((_, i) => base + 1 + i))
      expect(base + revisions.length).toBeGreaterThanOrEqual(13 + call)
    }
  })

  it('that does not exist is refused', () => {
    const path = dataPath()
    expect(() => openFolder(path, { readOnly: true })).toThrow(`there is no folder ${path}`)
    expect(existsSync(path)).toBe(false)
  })

  it('creates and deletes nothing', () => {
    const { path } = createWorld()
    const folder = openFolder(path, { readOnly: true, fs: quickFs })
    expect(() => folder.create('x', newWorld)).toThrow(/only/)
    expect(() => folder.delete('default')).toThrow(/only/)
  })
})
