import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'

/** A folder of src: the folders and packages that it may import. */
interface Row {
  readonly folders: readonly string[]
  readonly packages: readonly string[]
}

/** The folders of src from the bottom up. */
const folders: Readonly<Record<string, Row>> = {
  generated: { folders: [], packages: [] },
  lib: { folders: [], packages: ['zod', 'fastest-levenshtein'] },
  contract: { folders: ['generated', 'lib'], packages: ['zod'] },
  store: { folders: ['generated', 'lib', 'contract'], packages: ['zod', '@mswjs/data', 'rettime', 'sorted-btree'] },
  scenario: { folders: ['generated', 'lib', 'contract', 'store'], packages: ['zod', '@faker-js/faker', 'yaml'] },
  operations: { folders: ['lib', 'contract', 'store'], packages: ['geographiclib-geodesic'] },
  server: { folders: ['lib', 'contract', 'store', 'operations'], packages: ['zod'] },
  simulation: { folders: ['contract', 'store', 'operations'], packages: [] },
  control: {
    folders: ['generated', 'lib', 'contract', 'store', 'scenario', 'operations', 'server', 'simulation'],
    packages: ['zod'],
  },
  storage: { folders: ['lib', 'contract', 'store', 'scenario'], packages: ['@redis/client'] },
  mock: {
    folders: ['generated', 'lib', 'contract', 'store', 'scenario', 'server', 'simulation', 'control', 'storage'],
    packages: ['zod', 'msw', '#lab'],
  },
  har: {
    folders: ['lib', 'contract', 'store', 'scenario', 'server', 'control', 'mock'],
    packages: ['zod', 'har-format'],
  },
  processes: {
    folders: ['lib', 'contract', 'store', 'scenario', 'operations', 'simulation', 'control', 'mock'],
    packages: ['chokidar'],
  },
  client: {
    folders: ['generated', 'lib', 'contract', 'store', 'server', 'control'],
    packages: ['eventsource-parser'],
  },
  files: { folders: ['lib', 'contract', 'store', 'scenario'], packages: ['#lazy'] },
  msw: { folders: ['lib', 'contract', 'scenario', 'server', 'control', 'mock', 'files'], packages: ['msw'] },
  http: {
    folders: ['lib', 'contract', 'store', 'server', 'control', 'storage', 'mock', 'processes', 'files'],
    packages: ['zod', 'express', 'msw', '#lazy'],
  },
  cluster: { folders: ['lib', 'contract', 'store', 'server', 'control', 'storage', 'mock', 'http'], packages: [] },
  lab: { folders: ['lib', 'contract', 'scenario', 'control', 'mock', 'processes', 'http'], packages: [] },
  mcp: {
    folders: ['lib', 'contract', 'store', 'client', 'files'],
    packages: ['zod', '@modelcontextprotocol/server'],
  },
  testing: { folders: ['lib', 'contract', 'scenario', 'server', 'control', 'mock', 'client', 'msw'], packages: [] },
  vitest: {
    folders: ['lib', 'scenario', 'server', 'mock', 'client', 'files', 'msw', 'testing'],
    packages: ['msw', 'vitest'],
  },
  playwright: {
    folders: ['lib', 'contract', 'scenario', 'server', 'mock', 'har', 'client', 'files', 'http', 'testing'],
    packages: ['zod', '@playwright/test'],
  },
  jest: { folders: ['msw', 'testing'], packages: ['@jest/expect', '@jest/globals', '@jest/transform', 'sucrase'] },
  storybook: {
    folders: ['lib', 'contract', 'scenario', 'server', 'control', 'mock', 'msw', 'testing'],
    packages: ['zod', 'msw', 'storybook'],
  },
  vite: { folders: ['lib', 'scenario', 'mock', 'processes', 'files', 'http'], packages: ['vite'] },
  arbitraries: { folders: ['lib', 'contract', 'store', 'scenario', 'mock', 'client'], packages: ['fast-check'] },
  dashboard: {
    folders: ['generated', 'lib', 'contract', 'store', 'server', 'control', 'client'],
    packages: ['preact', '@preact/signals', 'lean-qr'],
  },
  cli: {
    folders: [
      'lib',
      'contract',
      'store',
      'scenario',
      'operations',
      'server',
      'control',
      'storage',
      'mock',
      'har',
      'processes',
      'client',
      'files',
      'http',
      'cluster',
      'lab',
      'mcp',
    ],
    packages: ['zod', 'commander', 'lean-qr'],
  },
}

/** The folders and files that may import modules of Node. All others also run in a browser. */
const nodeOnly =
  /^((har|http|cluster|lab|mcp|cli|files|processes|playwright|jest|vite)\/|cli\.ts$|msw\/(node|isolation)\.ts$|lib\/process-stat\.ts$|vitest\/index\.ts$|storage\/(folder|redis|replica|origins)|storybook\/preset\.ts$)/

interface Import {
  readonly from: string
  readonly specifier: string
}

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter(file => /\.(tsx?|lua)$/.test(file))
  .map(normalize)

const imports: readonly Import[] = files.flatMap(from =>
  [...readFileSync(join('src', from), 'utf8').matchAll(/(?:from |import |import\()'([^']+)'/g)].map(
    ([, specifier = '']) => ({ from, specifier }),
  ),
)

/** The imports and exports of a file that are left when its types are gone. */
const valueImports = (from: string): Import[] =>
  [
    ...readFileSync(join('src', from), 'utf8').matchAll(
      /^(?:import|export) (?!type )(?:[^';]*? from )?'([^']+)'|import\('([^']+)'\)/gm,
    ),
  ].map(([, specifier, dynamic]) => ({ from, specifier: specifier ?? dynamic ?? '' }))

const isRelative = ({ specifier }: Import) => specifier.startsWith('.')
const isOfNode = ({ specifier }: Import) => specifier.startsWith('node:')
const targetOf = ({ from, specifier }: Import) => {
  const module = normalize(join(dirname(from), specifier)).replace(/\.js$/, '.ts')
  return files.includes(module) ? module : `${module}x`
}
const folderOf = (file: string) => (file.includes('/') ? file.slice(0, file.indexOf('/')) : '.')
const packageOf = (specifier: string) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
const describeImport = ({ from, specifier }: Import) => `${from} imports ${specifier}`

describe('src', () => {
  it('has only the main entry point, the command and the version directly under it', () => {
    expect(files.filter(file => folderOf(file) === '.').sort()).toEqual(['cli.ts', 'index.ts', 'version.ts'])
  })
})

describe('a folder of src', () => {
  it('has a row in the table', () => {
    const found = new Set(files.map(folderOf).filter(folder => folder !== '.'))

    expect([...found].sort()).toEqual(Object.keys(folders).sort())
  })

  it('comes before the folders that it may import', () => {
    const order = Object.keys(folders)
    const upward = order.flatMap((folder, i) =>
      folders[folder]?.folders.filter(other => !order.slice(0, i).includes(other)),
    )

    expect(upward).toEqual([])
  })

  it('imports only the folders of its row and the version, for types too', () => {
    const wrong = imports.filter(isRelative).filter(one => {
      const [from, to] = [folderOf(one.from), folderOf(targetOf(one))]
      return from !== to && targetOf(one) !== 'version.ts' && !(folders[from]?.folders.includes(to) ?? true)
    })

    expect(wrong.map(describeImport)).toEqual([])
  })

  it('imports all folders of its row', () => {
    const used = new Set(
      imports.filter(isRelative).map(one => `${folderOf(one.from)} imports ${folderOf(targetOf(one))}`),
    )
    const allowed = Object.entries(folders).flatMap(([folder, row]) =>
      row.folders.map(one => `${folder} imports ${one}`),
    )

    expect(allowed.filter(one => !used.has(one))).toEqual([])
  })

  it('imports only the packages of its row', () => {
    const wrong = imports.filter(one => {
      const row = folders[folderOf(one.from)]
      return row && !isRelative(one) && !isOfNode(one) && !row.packages.includes(packageOf(one.specifier))
    })

    expect(wrong.map(describeImport)).toEqual([])
  })

  it('imports all packages of its row', () => {
    const used = new Set(imports.map(one => `${folderOf(one.from)} imports ${packageOf(one.specifier)}`))
    const allowed = Object.entries(folders).flatMap(([folder, { packages }]) =>
      packages.map(one => `${folder} imports ${one}`),
    )

    expect(allowed.filter(one => !used.has(one))).toEqual([])
  })

  it('imports no module of Node, unless it is for Node alone', () => {
    const wrong = imports.filter(isOfNode).filter(one => !nodeOnly.test(one.from))

    expect(wrong.map(describeImport)).toEqual([])
  })

  it('reaches no zod, no MSW, no data library and no module of Node by its values, if it is the dashboard', () => {
    const reached = new Set(files.filter(file => folderOf(file) === 'dashboard'))
    const values = [...reached].flatMap(valueImports)
    for (const one of values) {
      const target = targetOf(one)
      if (!isRelative(one) || reached.has(target)) continue
      reached.add(target)
      values.push(...valueImports(target))
    }

    const wrong = values.filter(one => isOfNode(one) || /^(zod|msw|@mswjs\/data)(\/|$)/.test(one.specifier))

    expect(wrong.map(describeImport)).toEqual([])
  })

  it('imports only types of yaml, except the module that loads it', () => {
    const wrong = files.filter(file => {
      if (file === 'scenario/index.ts') return false
      const withoutTypes = readFileSync(join('src', file), 'utf8').replaceAll(/^import type [^']*'yaml'$/gm, '')
      return withoutTypes.includes("'yaml'")
    })

    expect(wrong).toEqual([])
  })
})

describe('imports', () => {
  it('name files that exist', () => {
    const lost = imports.filter(isRelative).filter(one => !files.includes(targetOf(one)))

    expect(lost.map(describeImport)).toEqual([])
  })

  it('make no cycle', () => {
    const next = new Map(files.map(file => [file, [] as string[]]))
    for (const one of imports.filter(isRelative)) next.get(one.from)?.push(targetOf(one))

    expect(findCycle(next)).toBeUndefined()
  })
})

describe('a file', () => {
  it('has a name that tells its subject', () => {
    const vague = /(^|\/)(utils?|helpers?|common|types|misc|shared)\.tsx?$|[A-Z_]/

    expect(files.filter(file => vague.test(file))).toEqual([])
  })
})

describe('a test file', () => {
  it('is isolated if it counts timers, because the other files share a process', () => {
    const counting = readdirSync('test', { recursive: true, encoding: 'utf8' })
      .filter(file => file.endsWith('.test.ts') && !/\.(isolated|slow)\.test\.ts$/.test(file))
      .filter(file => /\bvi\.getTimerCount\(/.test(readFileSync(join('test', file), 'utf8')))

    expect(counting).toEqual([])
  })
})

/** Follows the imports, and returns the first cycle. */
function findCycle(next: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const done = new Set<string>()
  const visit = (file: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
    if (done.has(file)) return undefined
    for (const to of next.get(file) ?? []) {
      const found = visit(to, [...path, file])
      if (found) return found
    }
    done.add(file)
    return undefined
  }
  for (const file of next.keys()) {
    const found = visit(file, [])
    if (found) return found
  }
  return undefined
}
