import { appendFileSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import { fc, it } from '@fast-check/vitest'
import { beforeEach, describe, expect, inject, vi } from 'vitest'
import { type KeptLine, type KeptWorld, StorageError } from '../../../src/core/storage/storage.js'
import { fakeRealTimers } from '../../support/fake-real-timers.js'
import { failingFs, line, linesOf, newWorld, putOrigin, summary } from '../../support/kept-worlds.js'
import { createWorld, openAgain } from './opened-folders.js'

beforeEach(() => {
  vi.useFakeTimers()
  fakeRealTimers()
})

const share = fc.double({ min: 0, max: 1, noNaN: true })

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('append' as const),
      gap: fc.integer({ min: 1, max: 50 }),
      size: fc.nat(3000),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('replace' as const), share }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('close' as const, 'kill' as const, 'second' as const) }) },
  // The process dies within a write.
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('tear' as const), share }) },
  // A power cut takes the end of the log.
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cut' as const), share }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fail' as const), cuts: fc.boolean(), seconds: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('origin' as const), number: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('time' as const), number: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('title' as const), number: fc.nat(3) }) },
)

const steps = fc.array(step, { minLength: 1, maxLength: 25 })

/** After the last step, the log has the size that it had after the first one. */
const sameSize: typeof steps extends fc.Arbitrary<infer Steps> ? Steps : never = [
  { kind: 'title', number: 1 },
  { kind: 'second' },
  { kind: 'cut', share: 0 },
  { kind: 'title', number: 0 },
]

/** A world, and what a reader of its folder should find. */
class Model {
  readonly #failing = failingFs()
  readonly #created = createWorld({ fs: this.#failing.fs })
  #folder = this.#created.folder
  readonly #folders = [this.#folder]
  #world: KeptWorld = this.#created.world
  #base: { readonly text: string | undefined; readonly originHash: string } = {
    text: undefined,
    originHash: this.#world.originHash,
  }
  /** The acknowledged lines after the base, and where they end in the log. */
  #lines: (KeptLine & { readonly end: number })[] = []
  #revision = newWorld.summary.revision
  #time: string | undefined
  #title: string | undefined = summary.title
  #starts = 1

  run(step: typeof steps extends fc.Arbitrary<(infer Step)[]> ? Step : never): void {
    if (step.kind === 'append') this.#append(this.#revision + step.gap, step.size)
    else if (step.kind === 'replace') this.#replace(step.share)
    else if (step.kind === 'fail') this.#fail(step)
    else if (step.kind === 'second') vi.advanceTimersByTime(1000)
    else if (step.kind === 'close') this.#open(() => this.#folder.close())
    else if (step.kind === 'kill') this.#open(() => {})
    else if (step.kind === 'tear') this.#open(() => this.#tear(step.share))
    else if (step.kind === 'cut') this.#open(() => this.#cut(step.share))
    else if (step.kind === 'origin') this.#putOrigin(step.number)
    else if (step.kind === 'title') this.#setTitle(`title ${step.number}`)
    else if (step.kind === 'time') this.#writeTime(step.number)
  }

  /** Opens the folder again, and compares. */
  check(): void {
    this.#open(() => {})
  }

  /** Closes what killed processes have left open. */
  close(): void {
    for (const folder of this.#folders) folder.close()
    rmSync(this.#created.path, { recursive: true })
  }

  get #log(): string {
    return this.#created.log
  }

  #append(revision: number, size: number, text = line(revision, size).text): void {
    this.#world.append({ revision, text })
    this.#revision = revision
    this.#lines.push({ revision, text, end: statSync(this.#log).size })
  }

  #replace(share: number): void {
    const count = Math.floor(share * (this.#lines.length + 1))
    const revision = this.#lines[count - 1]?.revision
    if (revision === undefined) return
    const originHash = putOrigin(this.#world, JSON.stringify(count))
    const before = statSync(this.#log).size
    const text = JSON.stringify(`state ${revision}`)
    this.#world.replaceBase({ parts: [text.slice(0, 3), text.slice(3)], revision, originHash })
    const moved = statSync(this.#log).size - before
    this.#base = { text, originHash }
    this.#lines = this.#lines.slice(count).map(one => ({ ...one, end: one.end + moved }))
  }

  #putOrigin(number: number): void {
    const origin = JSON.stringify({ number })
    const hash = putOrigin(this.#world, origin)
    this.#append(this.#revision + 1, 0, JSON.stringify({ hash, origin }))
  }

  #writeTime(number: number): void {
    this.#time = JSON.stringify(number)
    this.#world.writeTime(this.#time)
  }

  #setTitle(title: string): void {
    this.#title = title
    this.#world.summarize({ ...summary, title, revision: this.#revision })
  }

  #fail({ cuts, seconds }: { readonly cuts: boolean; readonly seconds: number }): void {
    const { failing } = this.#failing
    failing.writeSync = 'ENOSPC'
    if (!cuts) failing.ftruncateSync = 'EIO'
    expect(() => this.#world.append(line(this.#revision + 1))).toThrow(StorageError)
    vi.advanceTimersByTime(seconds * 1000)
    failing.writeSync = failing.ftruncateSync = undefined
    vi.advanceTimersByTime(1000)
  }

  #tear(share: number): void {
    const last = readFileSync(this.#log, 'latin1').trimEnd().split('\n').at(-1) ?? ''
    appendFileSync(this.#log, last.slice(0, Math.floor(share * last.length)), 'latin1')
  }

  #cut(share: number): void {
    const bytes = readFileSync(this.#log)
    const header = bytes.indexOf('\n') + 1
    const size = header + Math.floor(share * (bytes.length - header))
    truncateSync(this.#log, size)
    this.#lines = this.#lines.filter(({ end }) => end <= size)
    // The notes about the title and the starts may be gone.
    this.#title = undefined
    this.#starts = 0
  }

  #open(end: () => void): void {
    end()
    this.#folder = openAgain(this.#created.path, { fs: this.#failing.fs })
    this.#folders.push(this.#folder)
    const title = this.#folder.list()[0]?.title
    this.#title ??= title
    expect(title).toBe(this.#title)
    const world = this.#folder.open('default')
    if (!world) throw new Error('there is no world')
    this.#world = world
    expect(world.starts).toBeGreaterThan(this.#starts)
    this.#starts = world.starts
    expect(world).toMatchObject({ originHash: this.#base.originHash, time: this.#time })
    expect(world.base).toBe(this.#base.text)
    expect(linesOf(world)).toEqual(this.#lines.map(({ revision, text }) => ({ revision, text })))
    for (const { text } of world.lines) {
      const { hash, origin } = JSON.parse(text)
      if (hash) expect(world.origin(hash)).toBe(origin)
    }
    expect(world.origin(world.originHash)).toBeDefined()
  }
}

describe('a world in a folder', () => {
  it.prop([steps], { numRuns: inject('runs'), examples: [[sameSize]] })(
    'is read back as it was acknowledged, whatever happens',
    steps => {
      const model = new Model()
      for (const step of steps) model.run(step)
      model.check()
      model.close()
    },
  )
})
