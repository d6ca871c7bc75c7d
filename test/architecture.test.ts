import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'

/** The folders and packages that each folder may import. */
const rooms: Readonly<Record<string, { readonly below: readonly string[]; readonly packages: readonly string[] }>> = {
  lib: { below: [], packages: ['zod', 'fastest-levenshtein'] },
  contract: { below: ['lib'], packages: ['zod'] },
  store: { below: ['lib', 'contract'], packages: ['zod', '@mswjs/data'] },
  scenario: { below: ['lib', 'contract', 'store'], packages: ['zod', '@faker-js/faker', 'yaml'] },
  behaviour: { below: ['lib', 'contract', 'store'], packages: ['geographiclib-geodesic'] },
  server: { below: ['lib', 'contract', 'store', 'behaviour'], packages: ['zod', 'msw'] },
  simulation: { below: ['lib', 'contract', 'store', 'behaviour'], packages: [] },
  control: { below: ['lib', 'contract', 'store', 'scenario', 'behaviour', 'server', 'simulation'], packages: ['zod'] },
}

/** The folders of the doors' parts: only these touch Node, and not all of them. */
const nodeDoors = ['node', 'http', 'cli']
const doors = [...nodeDoors, 'client']

interface Import {
  readonly from: string
  readonly specifier: string
}

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.ts'))
  .map(normalize)

const imports: readonly Import[] = files.flatMap(from =>
  [...readFileSync(join('src', from), 'utf8').matchAll(/(?:from|import|import\() ?'([^']+)'/g)].map(
    ([, specifier = '']) => ({ from, specifier }),
  ),
)

const isRelative = ({ specifier }: Import) => specifier.startsWith('.')
const target = ({ from, specifier }: Import) => normalize(join(dirname(from), specifier)).replace(/\.js$/, '.ts')
const roomOf = (file: string) => (file.includes('/') ? file.slice(0, file.indexOf('/')) : file.replace(/\.ts$/, ''))
const packageOf = (specifier: string) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
const shown = ({ from, specifier }: Import) => `${from} imports ${specifier}`

describe('the rooms', () => {
  it('are the rooms of the house, and doors', () => {
    const folders = new Set(files.filter(file => file.includes('/')).map(roomOf))

    expect([...folders].filter(folder => !(folder in rooms) && !doors.includes(folder))).toEqual([])
  })

  it('import only rooms below them, types too', () => {
    const upward = imports.filter(isRelative).filter(one => {
      const [from, to] = [roomOf(one.from), roomOf(target(one))]
      return from !== to && from in rooms && !rooms[from]?.below.includes(to)
    })

    expect(upward.map(shown)).toEqual([])
  })

  it('import only their own packages', () => {
    const foreign = imports.filter(one => {
      const room = rooms[roomOf(one.from)]
      return room && !isRelative(one) && !room.packages.includes(packageOf(one.specifier))
    })

    expect(foreign.map(shown)).toEqual([])
  })

  it('leave Node to the doors', () => {
    const touching = imports.filter(one => one.specifier.startsWith('node:') && !nodeDoors.includes(roomOf(one.from)))

    expect(touching.map(shown)).toEqual([])
  })

  it('leave the loading of yaml to the doors', () => {
    const loading = files.filter(file => {
      const beside = readFileSync(join('src', file), 'utf8').replaceAll(/^import type [^']*'yaml'$/gm, '')
      return roomOf(file) in rooms && beside.includes("'yaml'")
    })

    expect(loading).toEqual([])
  })
})

describe('imports', () => {
  it('lead to files that are there', () => {
    const lost = imports.filter(isRelative).filter(one => !files.includes(target(one)))

    expect(lost.map(shown)).toEqual([])
  })

  it('make no cycle', () => {
    const next = new Map(files.map(file => [file, [] as string[]]))
    for (const one of imports.filter(isRelative)) next.get(one.from)?.push(target(one))

    expect(cycle(next)).toBeUndefined()
  })
})

describe('files', () => {
  it('bear the name of what they hold', () => {
    const vague = /(^|\/)(utils?|helpers?|common|types|misc|shared)\.ts$|[A-Z_]/

    expect(files.filter(file => vague.test(file))).toEqual([])
  })
})

/** The first cycle that a walk along the imports meets. */
function cycle(next: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
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
