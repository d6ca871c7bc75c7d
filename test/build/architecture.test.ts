import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'

/** The folders of src from the bottom up, with the folders and packages that each may import. `.` is the top of src. */
const folders: Readonly<Record<string, { readonly folders: readonly string[]; readonly packages: readonly string[] }>> =
  {
    generated: { folders: [], packages: [] },
    lib: { folders: [], packages: ['zod', 'fastest-levenshtein'] },
    contract: { folders: ['generated', 'lib'], packages: ['zod'] },
    store: { folders: ['generated', 'lib', 'contract'], packages: ['zod', '@mswjs/data', 'rettime', 'sorted-btree'] },
    scenario: { folders: ['generated', 'lib', 'contract', 'store'], packages: ['zod', '@faker-js/faker', 'yaml'] },
    operations: { folders: ['lib', 'contract', 'store'], packages: ['geographiclib-geodesic'] },
    server: { folders: ['lib', 'contract', 'store', 'operations'], packages: ['zod', 'msw'] },
    simulation: { folders: ['lib', 'contract', 'store', 'operations'], packages: [] },
    control: {
      folders: ['generated', 'lib', 'contract', 'store', 'scenario', 'operations', 'server', 'simulation'],
      packages: ['zod'],
    },
    client: {
      folders: ['lib', 'contract', 'store', 'scenario', 'server', 'control'],
      packages: ['eventsource-parser'],
    },
    dashboard: {
      folders: ['generated', 'contract', 'store', 'server', 'control'],
      packages: ['preact', '@preact/signals', 'qrcode-generator', 'eventsource-parser'],
    },
    testing: {
      folders: ['lib', 'contract', 'scenario', 'server', 'control', 'client', '.'],
      packages: ['zod', 'msw', '@playwright/test'],
    },
    storybook: {
      folders: ['lib', 'contract', 'scenario', 'server', 'control', 'testing', '.'],
      packages: ['zod', 'msw', 'storybook'],
    },
    arbitraries: { folders: ['lib', 'contract', 'store', 'scenario', 'client', '.'], packages: ['fast-check'] },
    http: {
      folders: ['lib', 'contract', 'scenario', 'server', 'control', '.'],
      packages: ['zod', 'express', 'msw', 'vite'],
    },
    cli: {
      folders: ['lib', 'contract', 'store', 'scenario', 'operations', 'server', 'control', 'http', '.'],
      packages: ['zod', 'commander', 'chokidar'],
    },
  }

/** The files that may import modules of Node. All others also run in a browser. */
const nodeOnly =
  /^(http|cli)\/|^(cli|isolation|scenario-file|scenario-reloader|storybook-preset|vitest|jest-(preset|globals|transform)|testing\/(forward|page-\w+))\.ts$/

interface Import {
  readonly from: string
  readonly specifier: string
}

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter(file => /\.tsx?$/.test(file))
  .map(normalize)

const imports: readonly Import[] = files.flatMap(from =>
  [...readFileSync(join('src', from), 'utf8').matchAll(/(?:from|import|import\() ?'([^']+)'/g)].map(
    ([, specifier = '']) => ({ from, specifier }),
  ),
)

const isRelative = ({ specifier }: Import) => specifier.startsWith('.')
const isOfNode = ({ specifier }: Import) => specifier.startsWith('node:')
const targetOf = ({ from, specifier }: Import) => {
  const module = normalize(join(dirname(from), specifier)).replace(/\.js$/, '.ts')
  return files.includes(module) ? module : `${module}x`
}
const folderOf = (file: string) => (file.includes('/') ? file.slice(0, file.indexOf('/')) : '.')
const packageOf = (specifier: string) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
const describeImport = ({ from, specifier }: Import) => `${from} imports ${specifier}`

describe('a folder of src', () => {
  it('has a row in the table', () => {
    const found = new Set(files.map(folderOf).filter(folder => folder !== '.'))

    expect([...found].sort()).toEqual(Object.keys(folders).sort())
  })

  it('comes before the folders that it may import', () => {
    const order = Object.keys(folders)
    const upward = order.flatMap((folder, i) =>
      folders[folder]?.folders.filter(other => other !== '.' && !order.slice(0, i).includes(other)),
    )

    expect(upward).toEqual([])
  })

  it('imports only the folders of its row, for types too', () => {
    const wrong = imports.filter(isRelative).filter(one => {
      const [from, to] = [folderOf(one.from), folderOf(targetOf(one))]
      return from !== to && from in folders && !folders[from]?.folders.includes(to)
    })

    expect(wrong.map(describeImport)).toEqual([])
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

  it('imports no module of Node, except http, cli and the files of its pattern', () => {
    const wrong = imports.filter(isOfNode).filter(one => !nodeOnly.test(one.from))

    expect(wrong.map(describeImport)).toEqual([])
  })

  it('imports only types and generated data of other folders, if it is the dashboard', () => {
    const wrong = files
      .filter(file => folderOf(file) === 'dashboard')
      .flatMap(file => readFileSync(join('src', file), 'utf8').match(/^import (?!type )[^']*'\.\.\/[^']*'$/gm) ?? [])

    expect(wrong.filter(one => !one.includes("'../generated/"))).toEqual([])
  })

  it('imports only types of yaml, except at the top', () => {
    const wrong = files.filter(file => {
      const withoutTypes = readFileSync(join('src', file), 'utf8').replaceAll(/^import type [^']*'yaml'$/gm, '')
      return folderOf(file) !== '.' && withoutTypes.includes("'yaml'")
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
