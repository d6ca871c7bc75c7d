import fs, { lstatSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { asUsageError, counted, shellWord, UsageError } from '../core/lib/messages.js'
import { makeFolders } from '../server/folder/folder-files.js'
import { version } from '../version.js'
import type { Console } from './output.js'

type ExampleName = 'phaser' | 'godot'

interface Template {
  readonly from: string
  /** Relative to the folder of the user. */
  readonly to: string
}

interface InitOptions {
  /** It contains the originals. */
  readonly packageRoot: URL
  /** Default: a commented scenario, and its JSON Schema for editors. */
  readonly example?: ExampleName | undefined
  readonly console: Console
}

/** Writes a scenario, or the project of an example, into a folder. Throws `UsageError` instead of overwriting a file. */
export function init(folder: string, { packageRoot, example, console }: InitOptions): void {
  const root = fileURLToPath(packageRoot)
  const scenarioTemplates = [
    { from: join(root, 'fixtures/default.yaml'), to: scenarioFile },
    { from: join(root, 'fixtures/scenario.schema.json'), to: 'scenario.schema.json' },
  ]
  const templates = example === undefined ? scenarioTemplates : exampleTemplates(join(root, 'examples', example))
  try {
    makeFolders(folder, { fs })
    if (!statSync(folder).isDirectory()) throw new UsageError(`${folder} is a file: name a folder`)
    refuseExisting(templates.map(({ to }) => join(folder, to)))
    for (const { from, to } of templates) {
      const path = join(folder, to)
      makeFolders(dirname(path), { fs })
      writeFileSync(path, contentOf(from, to), { flag: 'wx' })
      console.print(`wrote ${path}`)
    }
  } catch (error) {
    throw asUsageError(error, `cannot write into ${folder}`)
  }
  const enter = folder === '.' ? '' : `cd ${shellWord(folder)} && `
  console.print(
    example === undefined
      ? `next: npx mockmaker ${shellWord(join(folder, scenarioFile))}`
      : `next: ${enter}npm install && npm run dev`,
  )
}

const scenarioFile = 'scenario.yaml'

/** Names in a checkout that are not of the example. */
const notOfExample = /^(?:node_modules|dist|\.godot|test-results|package-lock\.json|\.npmrc)$/

function exampleTemplates(folder: string): Template[] {
  const filesIn = (path: string): string[] =>
    readdirSync(path, { withFileTypes: true })
      .filter(({ name }) => !notOfExample.test(name))
      .flatMap(entry => (entry.isDirectory() ? filesIn(join(path, entry.name)) : [join(path, entry.name)]))
  return filesIn(folder).map(from => ({ from, to: relative(folder, from) }))
}

/** In the manifest of an example, mockmaker is a folder of the checkout, and a comment says so. */
function contentOf(from: string, to: string): string {
  const text = readFileSync(from, 'utf8')
  if (to !== 'package.json') return text
  const { '//': _, name: __, devDependencies, ...manifest } = JSON.parse(text)
  const own = { name: 'game', ...manifest, devDependencies: { ...devDependencies, mockmaker: `^${version}` } }
  return `${JSON.stringify(own, null, 2)}\n`
}

const mostNamed = 3

function refuseExisting(paths: readonly string[]): void {
  // `lstat` also finds a symbolic link that leads nowhere.
  const existing = paths.filter(path => lstatSync(path, { throwIfNoEntry: false }) !== undefined)
  if (existing.length === 0) return
  const [exist, them] = existing.length === 1 ? ['exists', 'it'] : ['exist', 'them']
  const others = existing.length - mostNamed
  const named = [...existing.slice(0, mostNamed), ...(others > 0 ? [counted(others, 'other', 'others')] : [])]
  throw new UsageError(`${named.join(' and ')} already ${exist}: move ${them}, or name another folder`)
}
