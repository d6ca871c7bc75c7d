import fs, { existsSync, lstatSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { asUsageError, counted, scenarioFile, shellWord, UsageError } from '../core/lib/messages.js'
import { makeFolders } from '../server/folder/folder-files.js'
import { version } from '../version.js'
import type { Console } from './output.js'

type ExampleName = 'phaser' | 'godot'

/** A file to write. Its path is relative to the folder of the user. */
interface Template {
  readonly to: string
  readonly text: string
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
  const root = resolve(fileURLToPath(packageRoot))
  try {
    const templates = example === undefined ? scenarioTemplates(root) : exampleTemplates(example, root)
    makeFolders(folder, { fs })
    if (!statSync(folder).isDirectory()) throw new UsageError(`${folder} is a file: name a folder`)
    refuseExisting(templates.map(({ to }) => join(folder, to)))
    for (const { to, text } of templates) {
      const path = join(folder, to)
      makeFolders(dirname(path), { fs })
      writeFileSync(path, text, { flag: 'wx' })
      console.print(`wrote ${path}`)
    }
  } catch (error) {
    throw asUsageError(error, `cannot write into ${folder}`)
  }
  const enter = folder === '.' ? [] : [`cd ${shellWord(folder)}`]
  // A line each, because Windows PowerShell 5.1 has no `&&`.
  const next =
    example === undefined
      ? [`npx mockmaker ${shellWord(join(folder, scenarioFile))}`]
      : [...enter, 'npm install', 'npm run dev']
  for (const line of ['next:', ...next.map(command => `  ${command}`)]) console.print(line)
  if (example !== undefined) console.print(`then: ${play[example]}`)
}

/** The last step for each example, after its mock has started. */
const play: Readonly<Record<ExampleName, string>> = {
  phaser: 'open the address that it prints in two windows, and press Play in both',
  godot: 'open project.godot in Godot 4, and run it',
}

/** A commented scenario, and its JSON Schema for editors. */
function scenarioTemplates(root: string): Template[] {
  const fixture = (name: string) => readFileSync(join(root, 'fixtures', name), 'utf8')
  return [
    { to: scenarioFile, text: fixture('default.yaml') },
    { to: 'scenario.schema.json', text: fixture('scenario.schema.json') },
  ]
}

/** Names in a checkout that are not of the example. */
const notOfExample = /^(?:node_modules|dist|\.godot|test-results|package-lock\.json|\.npmrc)$/

function exampleTemplates(name: ExampleName, root: string): Template[] {
  const example = join(root, 'examples', name)
  const filesIn = (path: string): string[] =>
    readdirSync(path, { withFileTypes: true })
      .filter(({ name }) => !notOfExample.test(name))
      .flatMap(entry => (entry.isDirectory() ? filesIn(join(path, entry.name)) : [join(path, entry.name)]))
  const source = installedFrom(root)
  const spec = source === undefined ? `^${version}` : `file:${source.replaceAll('\\', '/')}`
  const templates = filesIn(example).map(path => {
    const to = relative(example, path)
    const text = readFileSync(path, 'utf8')
    return { to, text: to === 'package.json' ? ownManifest(text, spec) : text }
  })
  // npm links a folder otherwise, and the link finds other copies of msw and of the test tools.
  const isFolder = source !== undefined && statSync(source).isDirectory()
  return isFolder ? [...templates, { to: '.npmrc', text: 'install-links=true\n' }] : templates
}

/** Returns the checkout, packed file or folder that this package comes from. `undefined`: it comes from a registry. */
function installedFrom(root: string): string | undefined {
  const modules = dirname(root)
  if (basename(modules) !== 'node_modules') return root
  const source = lockedSource(modules) ?? manifestSource(modules)
  if (source === undefined) return undefined
  return existsSync(source) ? source : root
}

/** Returns the source in the lock of npm, also in a workspace. Other package managers write no such lock. */
function lockedSource(modules: string): string | undefined {
  const lock = join(modules, '.package-lock.json')
  if (!existsSync(lock)) return undefined
  const { resolved } = JSON.parse(readFileSync(lock, 'utf8')).packages['node_modules/mockmaker'] ?? {}
  return fileAt(dirname(modules), resolved)
}

/** Returns the source in the manifest of the nearest project above. pnpm keeps packages some folders below it. */
function manifestSource(folder: string): string | undefined {
  const path = join(folder, 'package.json')
  if (existsSync(path)) {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(path, 'utf8'))
    const spec = devDependencies?.mockmaker ?? dependencies?.mockmaker
    if (spec !== undefined) return fileAt(folder, spec)
  }
  const above = dirname(folder)
  return above === folder ? undefined : manifestSource(above)
}

/** Resolves `file:…`. `undefined` for anything else. */
function fileAt(folder: string, spec = ''): string | undefined {
  const [, path] = /^file:(.*)/.exec(spec) ?? []
  return path === undefined ? undefined : resolve(folder, path)
}

/** Names the game, and where npm finds mockmaker. In the manifest of an example, that is the checkout, and a comment says so. */
function ownManifest(text: string, mockmaker: string): string {
  const { '//': _, name: __, devDependencies, ...manifest } = JSON.parse(text)
  const own = { name: 'game', ...manifest, devDependencies: { ...devDependencies, mockmaker } }
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
  const list = [named.slice(0, -1).join(', '), named.at(-1)].filter(Boolean).join(' and ')
  throw new UsageError(`${list} already ${exist}: move ${them}, or name another folder`)
}
