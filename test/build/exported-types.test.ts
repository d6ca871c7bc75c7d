import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly exports: Readonly<Record<string, string | { readonly types?: string }>>
}

/** The declarations of the entry points. */
const entries = Object.values(exports).flatMap(entry => (typeof entry === 'object' && entry.types ? [entry.types] : []))

/** All built declarations. The build keeps those that an entry point needs. */
const files = readdirSync('dist', { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.d.ts'))
  .map(file => `./${join('dist', file)}`)

const textOf = (file: string) => readFileSync(file, 'utf8')

/** Returns the types that a file declares and exports. */
function declaredIn(file: string): string[] {
  const declared = /^export (?:declare )?(?:abstract )?(?:interface|type|class) (\w+)/gm
  return [...textOf(file).matchAll(declared)].map(([, name = '']) => name)
}

/** Returns the names that an entry point exports, or a module that it passes on. */
function exportedBy(entry: string): string[] {
  const text = textOf(entry)
  const listed = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names = '']) =>
    names.split(',').map(name => name.trim().split(' ').at(-1) ?? ''),
  )
  const stars = [...text.matchAll(/^export type \* from '(.*)\.js'/gm)].flatMap(([, path = '']) =>
    exportedBy(join(dirname(entry), `${path}.d.ts`)),
  )
  return [...declaredIn(entry), ...listed, ...stars]
}

/** Returns the modules that a file imports or re-exports. */
function specifiersIn(file: string): string[] {
  return [...textOf(file).matchAll(/(?:from|import\(|import) ?['"]([^'"]+)['"]/g)].map(
    ([, specifier = '']) => specifier,
  )
}

/** Returns a file with all files that it imports. */
function reachedFrom(file: string, reached = new Set<string>()): Set<string> {
  if (reached.has(file)) return reached
  reached.add(file)
  for (const specifier of specifiersIn(file))
    if (specifier.startsWith('.')) reachedFrom(`./${join(dirname(file), specifier.replace(/\.js$/, '.d.ts'))}`, reached)
  return reached
}

/** The tools of the folders that do not have the name of theirs. */
const tools: Readonly<Record<string, string>> = { arbitraries: 'fast-check', http: 'express' }

/** An entry point for a tool is in the folder of the tool. */
function isToolOf(tool: string, entry: string): boolean {
  const folder = basename(dirname(entry))
  return tool.includes(tools[folder] ?? folder)
}

/** Types that need no name: parts of other types, and types that only the mock passes on. */
const unnamed: readonly string[] = []

describe('a type that a public declaration refers to', () => {
  it('is exported by an entry point', () => {
    const exported = new Set(entries.flatMap(exportedBy))

    const missing = files
      .filter(file => !entries.includes(file))
      .flatMap(file => declaredIn(file).map(name => ({ file, name })))
      .filter(({ name }) => !exported.has(name) && !unnamed.includes(name))

    expect(missing.map(({ file, name }) => `${file} ${name}`)).toEqual([])
  })

  it.each(entries)('has no library but MSW and the tool of the entry point: %s', entry => {
    const reached = reachedFrom(entry)
    const packages = [...reached].flatMap(specifiersIn).filter(specifier => !specifier.startsWith('.'))

    const tools = new Set(packages.filter(name => !/^(msw|node:)/.test(name)))

    // `dist/testing/playwright/index.d.ts` may import the tool that it is for.
    expect([...tools].filter(tool => !isToolOf(tool, entry))).toEqual([])
  })
})

describe('a key of options', () => {
  it('has a comment, which editors show', () => {
    const lines = textOf('src/core/generated/options.ts').split('\n')
    const isKey = (line: string) => /^ {2}readonly \w+\?: /.test(line)

    const bare = lines.filter((line, i) => isKey(line) && !lines[i - 1]?.endsWith('*/'))

    expect(lines.filter(isKey)).toContainEqual(expect.stringContaining('watchTimeoutMs'))
    expect(bare).toEqual([])
  })
})
