import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

/** The declarations of a built module, and the sources of its imported names. */
interface Declarations {
  readonly declared: ReadonlyMap<string, string>
  readonly exported: ReadonlySet<string>
  readonly from: ReadonlyMap<string, { readonly name: string; readonly file: string }>
}

const dist = new URL('../dist/', import.meta.url).pathname
const modules = new Map<string, Declarations>()

function moduleAt(file: string): Declarations {
  const known = modules.get(file) ?? read(file)
  modules.set(file, known)
  return known
}

function read(file: string): Declarations {
  const text = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '')
  const exported = new Set<string>()
  const from = new Map<string, { name: string; file: string }>()
  for (const [, kind, names = '', path = ''] of text.matchAll(
    /^(import|export)(?: type)? \{([^}]*)\} from '([^']+)'/gm,
  )) {
    for (const [name, as] of namesIn(names)) {
      if (kind === 'export') exported.add(as)
      if (path.startsWith('.')) from.set(as, { name, file: join(dirname(file), path.replace(/\.js$/, '.d.ts')) })
    }
  }
  const declared = new Map<string, string>()
  for (const part of text.split(/^(?=export |declare |interface |type |const )/m)) {
    const [, isExported, name] =
      /^(export )?(?:declare )?(?:abstract )?(?:interface|type|class|const|function) (\w+)/.exec(part) ?? []
    if (name === undefined) continue
    declared.set(name, (declared.get(name) ?? '') + part)
    if (isExported) exported.add(name)
  }
  return { declared, exported, from }
}

/** Returns the names of an import or export, each with its local name. */
function namesIn(list: string): [name: string, as: string][] {
  const names = list.split(',').map(name => name.trim().replace(/^type /, ''))
  return names
    .filter(name => name !== '')
    .map(name => {
      const [own = '', as = own] = name.split(' as ')
      return [own, as]
    })
}

/** Returns the declaration of a name as `file#name`, or `undefined` for a name of a library. */
function declarationOf(name: string, file: string): string | undefined {
  const { declared, from } = moduleAt(file)
  if (declared.has(name)) return `${file}#${name}`
  const origin = from.get(name)
  return origin && declarationOf(origin.name, origin.file)
}

function exportsOf(entry: string): string[] {
  const file = join(dist, `${entry}.d.ts`)
  return [...moduleAt(file).exported].flatMap(name => declarationOf(name, file) ?? [])
}

/** Returns the types that a declaration refers to. Private members of a class have none. */
function referredIn(declaration: string): string[] {
  const [file = '', name = ''] = declaration.split('#')
  const text =
    moduleAt(file)
      .declared.get(name)
      ?.replace(/'[^']*'/g, '') ?? ''
  return [...new Set(text.match(/\b[A-Z]\w*/g))].flatMap(other => declarationOf(other, file) ?? [])
}

const shown = (declaration: string) => declaration.slice(dist.length).replace('.d.ts#', ' ')

/** Types that need no export: parts of computed types, and types that only the mock passes on. */
// Rows and inputs have names by table: `Rows['lobbies']`.
const unnamed = [
  'lib/issues OptionsOf',
  'scenario/schema Scenario',
  'contract/operations Part',
  'mockmaker Msw',
  'server/journal Journal',
  'server/faults WorldFaults',
  'store/world LiveWorld',
  'mock-world MockState',
  'mock-world MockWorldSettings',
  'mock-worlds MockWorldsOptions',
  'mock-worlds RoutedRequest',
]

describe('a type that an exported type refers to', () => {
  const fromMockmaker = exportsOf('index')

  it.each(['index', 'node', 'browser', 'express', 'client', 'scenarios', 'contract'])(
    'is exported by mockmaker, or beside it: %s',
    entry => {
      const exported = exportsOf(entry)
      const known = new Set([...fromMockmaker, ...exported])

      const missing = exported.flatMap(declaration =>
        referredIn(declaration)
          .filter(
            other =>
              !known.has(other) && !unnamed.includes(shown(other)) && !/^store\/.*(Row|Input)$/.test(shown(other)),
          )
          .map(other => `${shown(other)}, for ${shown(declaration)}`),
      )

      expect(missing).toEqual([])
    },
  )
})

describe('a key of options', () => {
  const texts = readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.d.ts'))
    .map(file => readFileSync(join(dist, file), 'utf8'))
  const declarations = texts.flatMap(text =>
    [...text.matchAll(/ (?:=|extends) OptionsOf<typeof (\w+)>/g)].map(
      ([, name = '']) => text.split(`declare const ${name}: {\n`)[1]?.split('\n};')[0] ?? `no ${name}`,
    ),
  )

  it('has a comment, which editors show', () => {
    const lines = declarations.flatMap(declaration => declaration.split('\n'))
    const isKey = (line: string) => /^ {4}\w+\??: /.test(line)

    const bare = lines.filter((line, i) => isKey(line) && !lines[i - 1]?.endsWith('*/'))

    expect(lines.filter(isKey)).toContainEqual(expect.stringContaining('watchTimeoutMs'))
    expect(bare).toEqual([])
  })
})
