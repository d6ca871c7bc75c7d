import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { KeptWorld, Storage } from '../../../src/core/storage/storage.js'
import { type FolderOptions, openFolder } from '../../../src/server/folder/folder.js'
import { dataPath, linesOf, newWorld, quickFs } from '../../support/kept-worlds.js'

/** Returns everything that a world had at its opening. */
export function contentOf(world: KeptWorld | undefined) {
  if (!world) return undefined
  const { starts, originHash, base, time, cutBytes } = world
  return { starts, originHash, base, time, cutBytes, lines: linesOf(world) }
}

/** Forgets that this process has the folder, as if it had been killed. */
export function unlock(path: string): void {
  rmSync(join(path, '.lock'), { force: true })
}

/** Opens a folder, whatever process has it. It is closed after the test. */
export function openAgain(path: string, options: FolderOptions = {}): Storage {
  unlock(path)
  const folder = openFolder(path, { fs: quickFs, ...options })
  onTestFinished(() => folder.close())
  return folder
}

/** Creates a folder with a world. */
export function createWorld(options: FolderOptions = {}) {
  const path = dataPath()
  const folder = openAgain(path, options)
  return { path, folder, world: folder.create('default', newWorld), log: join(path, 'default', 'log') }
}

/** Opens the world of a folder after its process was killed. */
export function reopen(path: string): KeptWorld {
  const world = openAgain(path).open('default')
  if (!world) throw new Error('there is no world')
  return world
}
