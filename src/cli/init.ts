import { constants, copyFileSync, lstatSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { UsageError } from '../lib/usage-error.js'
import { explained } from '../node/system-error.js'
import type { Console } from './console.js'

const files = [
  { from: 'fixtures/default.yaml', to: 'scenario.yaml' },
  { from: 'fixtures/scenario.schema.json', to: 'scenario.schema.json' },
] as const

/** Where `init` takes its files from, and where it tells of them. */
interface InitOptions {
  /** The root of the package. */
  readonly root: URL
  readonly console: Console
}

/** Writes a commented scenario, and the schema that editors check it by, into a folder. Overwrites nothing: throws `UsageError` instead. */
export function init(folder: string, { root, console }: InitOptions): void {
  try {
    mkdirSync(folder, { recursive: true })
    refuseIfThere(files.map(({ to }) => join(folder, to)))
    for (const { from, to } of files) {
      copyFileSync(fileURLToPath(new URL(from, root)), join(folder, to), constants.COPYFILE_EXCL)
      console.print(`wrote ${join(folder, to)}`)
    }
  } catch (error) {
    throw explained(error, `cannot write into ${folder}`)
  }
  console.print(`now: npx mockmaker ${join(folder, files[0].to)}`)
}

/** Whatever is there counts, be it a link that leads nowhere. */
function refuseIfThere(paths: readonly string[]): void {
  const there = paths.filter(path => lstatSync(path, { throwIfNoEntry: false }) !== undefined)
  if (there.length === 0) return
  const [exist, them] = there.length === 1 ? ['exists', 'it'] : ['exist', 'them']
  throw new UsageError(`${there.join(' and ')} already ${exist}: move ${them}, or name another folder`)
}
