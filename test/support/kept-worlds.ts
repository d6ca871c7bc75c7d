import { createHash } from 'node:crypto'
import * as nodeFs from 'node:fs'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { originOf } from '../../src/core/storage/origins.js'
import type { KeptLine, KeptSummary, KeptWorld, NewKeptWorld } from '../../src/core/storage/storage.js'
import type { FileCalls } from '../../src/server/folder/folder-files.js'

/** Returns the path of a folder that does not exist yet. It goes after the test. */
export function dataPath(): string {
  const path = mkdtempSync(join(tmpdir(), 'mockmaker-data-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return join(path, 'data')
}

type FileCall = keyof FileCalls

/** The calls of `node:fs`, each through `intercept`. Nothing waits for the disk, as no test cuts the power. */
export function interceptedFs(
  intercept: (call: FileCall, args: readonly unknown[], run: () => unknown) => unknown,
): FileCalls {
  return new Proxy(nodeFs, {
    get(fs, name: FileCall) {
      return (...args: never[]) => intercept(name, args, () => runCall(fs, name, args))
    },
  })
}

function runCall(fs: FileCalls, name: FileCall, args: never[]): unknown {
  if (name === 'fsyncSync' || name === 'fdatasyncSync') return undefined
  return (fs[name] as (...args: never[]) => unknown)(...args) // the arguments are those of the caller
}

export const quickFs = interceptedFs((_, __, run) => run())

/** Makes the error of a call of `node:fs`. */
function fsError(code: string, syscall = 'write'): Error {
  return Object.assign(new Error(`${code}: some words, ${syscall}`), { code, syscall })
}

/** Lets calls fail while `failing` has a code for them. */
export function failingFs() {
  const failing: { [Call in FileCall]?: string | undefined } = {}
  const fs = interceptedFs((call, args, run) => {
    const code = failing[call]
    if (code === undefined) return run()
    const done = args.at(-1)
    if (typeof done === 'function') return queueMicrotask(() => done(fsError(code, call)))
    throw fsError(code, call)
  })
  return { fs, failing }
}

/** A summary, and the rest of a new world. */
export const summary: Omit<KeptSummary, 'id'> = {
  title: 'Tanks',
  seed: 7,
  revision: 10,
  now: 1000,
  isKept: true,
  usedAt: 2000,
}
/** Names an origin as the storages do. */
export const originOfText = (text: string) => originOf([text], createHash('sha256'))

export const originText = '{"title":"Tanks"}'
export const newWorld: NewKeptWorld = { summary, origin: originOfText(originText) }

/** Stores an origin. Returns its hash. */
export function putOrigin(world: KeptWorld, text: string): string {
  const origin = originOfText(text)
  world.putOrigin(origin)
  return origin.hash
}

/** A line with a text that tells its revision. `é` has two bytes. */
export function line(revision: number, size = 2): KeptLine {
  return { revision, text: JSON.stringify({ revision, words: 'é'.repeat(size) }) }
}

/** Appends lines of these revisions. */
export function appendAll(world: KeptWorld, ...revisions: readonly number[]): void {
  for (const revision of revisions) world.append(line(revision))
}

export function revisionsOf(world: KeptWorld | undefined): readonly number[] | undefined {
  return world && linesOf(world).map(({ revision }) => revision)
}

export function linesOf(world: KeptWorld): readonly KeptLine[] {
  return [...world.lines]
}

/** Reads all files below a folder. */
export function filesIn(path: string): Readonly<Record<string, string>> {
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' }).sort()
  const files = names.filter(name => statSync(join(path, name)).isFile())
  return Object.fromEntries(files.map(name => [name, readFileSync(join(path, name), 'latin1')]))
}
