import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { UsageError } from '../contract/usage-error.js'
import type { Console } from './console.js'

const files = [
  { from: 'fixtures/default.yaml', to: 'scenario.yaml' },
  { from: 'fixtures/scenario.schema.json', to: 'scenario.schema.json' },
] as const

/** Writes a commented scenario, and the schema that editors check it by, into a folder. Overwrites nothing: throws `UsageError` instead. */
export function init(folder: string, { root, console }: { readonly root: URL; readonly console: Console }): void {
  const there = files.map(({ to }) => join(folder, to)).filter(path => existsSync(path))
  if (there.length > 0) throw new UsageError(`${there.join(' and ')} is there already: move it, or name another folder`)
  mkdirSync(folder, { recursive: true })
  for (const { from, to } of files) {
    copyFileSync(fileURLToPath(new URL(from, root)), join(folder, to))
    console.print(`wrote ${join(folder, to)}`)
  }
  console.print(`now: npx mockmaker ${join(folder, files[0].to)}`)
}
