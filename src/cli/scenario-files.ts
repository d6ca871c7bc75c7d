import fs, { constants, copyFileSync, lstatSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadScenario } from '../files/scenario-file.js'
import { asUsageError, UsageError } from '../lib/usage-error.js'
import { makeFolders } from '../storage/folder-files.js'
import type { Console } from './output.js'

/** Checks scenarios, and prints the problems of each. Resolves with `true` if all are valid. */
export async function validateScenarios(namesOrPaths: readonly string[], console: Console): Promise<boolean> {
  let isValid = true
  for (const nameOrPath of namesOrPaths) {
    try {
      await loadScenario(nameOrPath, { commands: 'allowed' })
      console.print(`${nameOrPath}: ok`)
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      console.fail(error.message)
      isValid = false
    }
  }
  return isValid
}

const templates = [
  { from: 'fixtures/default.yaml', to: 'scenario.yaml' },
  { from: 'fixtures/scenario.schema.json', to: 'scenario.schema.json' },
] as const

/**
 * Writes a commented scenario and its JSON Schema for editors into a folder. `packageRoot` contains the originals. Throws
 * `UsageError` instead of overwriting a file.
 */
export function initScenario(folder: string, packageRoot: URL, console: Console): void {
  try {
    makeFolders(folder, { fs })
    if (!statSync(folder).isDirectory()) throw new UsageError(`${folder} is a file: name a folder`)
    // `lstat` also finds a symbolic link that leads nowhere.
    const existing = templates
      .map(({ to }) => join(folder, to))
      .filter(path => lstatSync(path, { throwIfNoEntry: false }) !== undefined)
    if (existing.length > 0) {
      const [exist, them] = existing.length === 1 ? ['exists', 'it'] : ['exist', 'them']
      throw new UsageError(`${existing.join(' and ')} already ${exist}: move ${them}, or name another folder`)
    }
    for (const { from, to } of templates) {
      copyFileSync(fileURLToPath(new URL(from, packageRoot)), join(folder, to), constants.COPYFILE_EXCL)
      console.print(`wrote ${join(folder, to)}`)
    }
  } catch (error) {
    throw asUsageError(error, `cannot write into ${folder}`)
  }
  console.print(`next: npx mockmaker ${join(folder, templates[0].to)}`)
}
