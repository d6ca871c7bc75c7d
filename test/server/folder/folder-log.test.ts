import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { fakeRealTimers } from '../../support/fake-real-timers.js'
import { appendAll, filesIn, line, linesOf, originOfText, revisionsOf } from '../../support/kept-worlds.js'
import { contentOf, createWorld, reopen } from './opened-folders.js'

beforeEach(() => {
  vi.useFakeTimers()
  fakeRealTimers()
})

/** Creates a world with lines of the revisions 11 to 15. Returns the offsets behind its header and behind each line. */
function fiveLines() {
  const created = createWorld()
  appendAll(created.world, 11, 12, 13, 14, 15)
  const bytes = readFileSync(created.log)
  const ends = [...bytes.keys()].filter(at => bytes[at] === 10).map(at => at + 1)
  // The header, and a note about the first start.
  return { ...created, bytes, ends: ends.slice(1) }
}

describe('a log', () => {
  it('keeps its whole lines when it ends at any byte of its last three', () => {
    const { path, log, bytes, ends } = fiveLines()

    for (let length = ends[2] ?? 0; length <= bytes.length; length += 1) {
      writeFileSync(log, bytes.subarray(0, length))

      const world = reopen(path)

      const whole = ends.filter(end => end <= length)
      const expected = [11, 12, 13, 14, 15].slice(0, whole.length - 1)
      expect(revisionsOf(world)).toEqual(expected)
      expect(world.cutBytes).toBe(length - (whole.at(-1) ?? 0))

      world.append(line(20))
      expect(revisionsOf(reopen(path))).toEqual([...expected, 20])
    }
  })

  it.each([
    ['zeros after the last line', (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(4096)]), 15],
    ['zeros instead of the last line', (bytes: Buffer, from: number) => Buffer.from(bytes).fill(0, from), 14],
    [
      'zeros within the last line',
      (bytes: Buffer, from: number) => Buffer.from(bytes).fill(0, from + 30, from + 34),
      14,
    ],
  ])('loses %s', (_, damage, last) => {
    const { path, log, bytes, ends } = fiveLines()
    writeFileSync(log, damage(bytes, ends.at(-2) ?? 0))

    const world = reopen(path)

    expect(linesOf(world).at(-1)?.revision).toBe(last)
    expect(world.cutBytes).toBeGreaterThan(0)
    world.append(line(20))
    expect(contentOf(reopen(path))).toMatchObject({ cutBytes: 0, lines: { length: last - 9 } })
  })

  it('loses zeros in place of a line, and the lines after it, if no sync has reached them', () => {
    const { path, log, bytes, ends } = fiveLines()
    writeFileSync(log, Buffer.from(bytes).fill(0, ends[2], ends[3]))

    expect(revisionsOf(reopen(path))).toEqual([11, 12])
    appendAll(reopen(path), 20)
    expect(contentOf(reopen(path))).toMatchObject({ cutBytes: 0, lines: [line(11), line(12), line(20)] })
  })

  it('with zeros in place of a line that the disk had once is refused', async () => {
    const { path, world, log } = createWorld({ sync: 'always' })
    const start = readFileSync(log).length
    appendAll(world, 11, 12)
    await world.settled()
    appendAll(world, 13)
    const bytes = readFileSync(log)
    writeFileSync(log, bytes.fill(0, start + 30, start + 40))

    expect(() => reopen(path)).toThrow(`${log}:3: the line is damaged, and whole lines follow it`)
    expect(readFileSync(log)).toEqual(bytes)
  })

  it('with a damaged line before others is refused, and stays unchanged', () => {
    const { path, log, bytes, ends, folder } = fiveLines()
    folder.create('other', {
      summary: { ...folder.list()[0], title: 'Other', revision: 1 } as never,
      origin: originOfText('{}'),
    })
    const at = ends[2] ?? 0
    writeFileSync(log, Buffer.from(bytes).fill('x', at + 30, at + 31))
    const before = filesIn(path).log

    expect(() => reopen(path)).toThrow(
      `${log}:5: the line is damaged, and whole lines follow it: restore the file from a copy. ` +
        `To lose the changes from that line on, cut the file to ${at} bytes`,
    )
    expect(filesIn(path).log).toEqual(before)

    // The way out that the message names.
    truncateSync(log, at)
    expect(revisionsOf(reopen(path))).toEqual([11, 12])
  })

  it.each([
    ['a character', (bytes: Buffer, from: number) => Buffer.from(bytes).fill('x', from + 30, from + 31)],
    ['its check sum', (bytes: Buffer, from: number) => Buffer.from(bytes).fill('0', from, from + 1)],
    ['its start', (bytes: Buffer, from: number) => Buffer.from(bytes).fill('\n', from, from + 20)],
    [
      'a character, before a part of another',
      (bytes: Buffer, from: number) =>
        Buffer.concat([Buffer.from(bytes).fill('x', from + 30, from + 31), Buffer.from('1234')]),
    ],
  ])('whose last line is whole, but for %s, is refused and not cut', (_, damage) => {
    const { path, log, bytes, ends } = fiveLines()
    const at = ends.at(-2) ?? 0
    writeFileSync(log, damage(bytes, at))
    const before = filesIn(path).log

    expect(() => reopen(path)).toThrow(
      `: the line is damaged: restore the file from a copy. To lose the changes from that line on, cut the file to ${at} bytes`,
    )
    expect(filesIn(path).log).toEqual(before)
  })

  it('with a damaged header is refused', () => {
    const { path, log, bytes } = fiveLines()
    writeFileSync(log, Buffer.from(bytes).fill('x', 40, 41))

    expect(() => reopen(path)).toThrow(
      `${log}:1: the line is damaged: restore it from a copy, or delete the world (its folder is ${dirname(log)})`,
    )
  })

  it('of a newer version is refused, whatever its lines look like', () => {
    const { path, log } = fiveLines()
    writeFileSync(log, 'a line {"format":2,"other":1}\n')

    expect(() => reopen(path)).toThrow(
      `${log} has format 2, and this version of mockmaker reads formats up to 1: update mockmaker, or use another folder`,
    )
  })
})
