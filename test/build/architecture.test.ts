import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { parseSync, Visitor } from 'rolldown/utils'
import { describe, expect, it } from 'vitest'
import * as loaded from '../../src/core/lib/real-globals.js'

/** A wing of src: what it may import, and its rooms from the ground up. */
interface Wing {
  readonly wings: readonly string[]
  readonly packages: readonly string[]
  /** The room `.` holds the files that lie directly in the wing. */
  readonly rooms: readonly string[]
}

/** The wings of src from the ground up. */
const wings: Readonly<Record<string, Wing>> = {
  core: {
    wings: [],
    packages: [
      'zod',
      'fastest-levenshtein',
      '@mswjs/data',
      'rettime',
      'sorted-btree',
      '@faker-js/faker',
      'yaml',
      'geographiclib-geodesic',
      'msw',
    ],
    rooms: [
      ...['generated', 'lib', 'contract', 'store', 'scenario', 'operations', 'pipeline', 'simulation', 'storage'],
      ...['control/explain', 'control/warnings', 'control/stories', 'control', 'mock'],
    ],
  },
  client: { wings: ['core'], packages: ['eventsource-parser'], rooms: ['.'] },
  server: {
    wings: ['core'],
    packages: ['zod', '#lazy', 'chokidar', 'express', 'msw', '@redis/client', 'har-format', 'smol-toml'],
    rooms: ['files', 'processes', 'folder', 'http', 'cluster', 'har'],
  },
  lab: { wings: ['core', 'server'], packages: ['#lab'], rooms: ['.'] },
  msw: { wings: ['core', 'server', 'lab'], packages: ['msw', '#capsule'], rooms: ['.'] },
  dashboard: {
    wings: ['core', 'client'],
    packages: ['preact', '@preact/signals', 'lean-qr', 'yaml'],
    rooms: [
      ...['ui', 'world', 'players', 'requests', 'lobbies', 'map', 'timeline', 'servers', 'faults', 'devices', 'shell'],
      ...['device-link', '.', 'capsule'],
    ],
  },
  testing: {
    wings: ['core', 'client', 'server', 'msw'],
    packages: [
      '#stories',
      'zod',
      'msw',
      'vitest',
      '@playwright/test',
      '@jest/expect',
      '@jest/globals',
      '@jest/transform',
      'sucrase',
      'storybook',
      'vite',
      'fast-check',
    ],
    rooms: ['.', 'vitest', 'playwright', 'jest', 'storybook', 'vite', 'arbitraries'],
  },
  cli: {
    wings: ['core', 'client', 'server', 'lab'],
    packages: ['zod', '@modelcontextprotocol/server', 'commander', 'lean-qr'],
    rooms: ['mcp', '.'],
  },
}

/** All rooms from the ground up, as `core/store` and `client`. */
const rooms = Object.entries(wings).flatMap(([wing, row]) =>
  row.rooms.map(room => (room === '.' ? wing : `${wing}/${room}`)),
)

/** The rooms and files that may import modules of Node, beside the wings `server` and `cli`. */
const nodeOnly =
  /^(server\/|lab\/|cli\/|cli\.ts$|testing\/(playwright|jest|vite)\/|msw\/(node|isolation|async-context)\.ts$|testing\/vitest\/index\.ts$|testing\/storybook\/preset\.ts$)/

/** Names that only Node or a page has. `core` runs wherever JavaScript runs. */
const ofOneSide = new Set(['window', 'process', 'Buffer', 'require'])

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
const wingOf = (file: string) => (file.includes('/') ? file.slice(0, file.indexOf('/')) : '.')
/** The innermost room of a file. Undefined for the files directly under src, and for a file outside of all rooms. */
const roomOf = (file: string) =>
  rooms.filter(room => file.startsWith(`${room}/`)).sort((a, b) => b.length - a.length)[0]
const packageOf = (specifier: string) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
const distinct = (names: readonly string[]) => [...new Set(names)].sort()
const mapRows = <Result>(map: (row: Wing) => Result) =>
  Object.fromEntries(Object.entries(wings).map(([wing, row]) => [wing, map(row)]))
const describeImport = ({ from, specifier }: Import) => `${from} imports ${specifier}`

describe('src', () => {
  it('has only the main entry point, the command and the version directly under it', () => {
    expect(files.filter(file => wingOf(file) === '.').sort()).toEqual(['cli.ts', 'index.ts', 'version.ts'])
  })

  it('has its other files in the rooms of the table, and no room is empty', () => {
    const found = new Set(files.filter(file => wingOf(file) !== '.').map(file => roomOf(file) ?? file))

    expect([...found].sort()).toEqual([...rooms].sort())
  })
})

describe('a wing of src', () => {
  it('imports the other wings of its row, and no other', () => {
    const found = imports
      .filter(one => isRelative(one) && targetOf(one) !== 'version.ts')
      .map(one => ({ from: wingOf(one.from), to: wingOf(targetOf(one)) }))

    const byWing = Object.keys(wings).map(wing => [
      wing,
      distinct(found.filter(({ from, to }) => from === wing && to !== wing).map(({ to }) => to)),
    ])
    expect(Object.fromEntries(byWing)).toEqual(mapRows(row => distinct(row.wings)))
  })

  it('imports the packages of its row, and no other', () => {
    const packages = imports.filter(one => !isRelative(one) && !isOfNode(one))

    const byWing = Object.keys(wings).map(wing => [
      wing,
      distinct(packages.filter(({ from }) => wingOf(from) === wing).map(one => packageOf(one.specifier))),
    ])
    expect(Object.fromEntries(byWing)).toEqual(mapRows(row => distinct(row.packages)))
  })
})

describe('a room of src', () => {
  const between = imports.filter(isRelative).flatMap(one => {
    const [from, to] = [roomOf(one.from), roomOf(targetOf(one))]
    return from !== undefined && to !== undefined && from !== to ? [{ ...one, room: from, to }] : []
  })

  it('imports only rooms below it, for types too', () => {
    const upward = between.filter(({ room, to }) => rooms.indexOf(to) > rooms.indexOf(room))

    expect(upward.map(describeImport)).toEqual([])
  })

  it('imports no module of Node, unless it is for Node alone', () => {
    const wrong = imports.filter(isOfNode).filter(one => !nodeOnly.test(one.from))

    expect(wrong.map(describeImport)).toEqual([])
  })

  it('touches nothing that only Node or a page has, if it is in core', () => {
    const wrong = files
      .filter(file => wingOf(file) === 'core' && file.endsWith('.ts'))
      .flatMap(file => namesOfOneSide(file).map(name => `${file} uses ${name}`))

    expect(wrong).toEqual([])
  })

  it('reaches no zod, no MSW, no data library and no module of Node by its values, if it is the dashboard without the mock', () => {
    const reached = new Set(files.filter(file => wingOf(file) === 'dashboard' && roomOf(file) !== 'dashboard/capsule'))
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

  it('looks for no words in a message, if it is the dashboard: the server may word it anew', () => {
    const wrong = files
      .filter(file => wingOf(file) === 'dashboard' && /\.tsx?$/.test(file))
      .flatMap(file => searchesOf(file).map(search => `${file}: ${search}`))

    expect(wrong).toEqual([])
  })

  it('imports only types of yaml, except the modules that load it', () => {
    const wrong = files.filter(file => {
      if (/^(core\/scenario\/index|server\/files\/scenario-file|dashboard\/capsule\/copy)\.ts$/.test(file)) return false
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

describe('a file that runs inside the tests of users', () => {
  it('takes the globals as they were at load, or says that it wants the present ones: `globalThis.Date`', () => {
    const own = /^(core|client|msw|testing\/vitest|testing\/arbitraries)\/|^testing\/[^/]+$/

    const found = files.filter(file => own.test(file) && file !== 'core/lib/real-globals.ts').flatMap(presentGlobals)

    expect(found).toEqual([])
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

/** Without `fetch`, which is the name of many parameters. */
const ofLoad = [...Object.keys(loaded), ...Object.keys(loaded.real)].filter(
  name => name in globalThis && name !== 'fetch',
)
const present = new RegExp(
  `(?<![\\w.])(?:(${ofLoad.join('|')}|setImmediate)\\(|performance\\.|crypto\\.|Date\\.|new Date\\()`,
  'g',
)

/** The globals that a module calls without having taken them at load. */
function presentGlobals(file: string): readonly string[] {
  const source = readFileSync(join('src', file), 'utf8')
  const [, taken = ''] = /import \{([^}]*)\} from '[^']*real-globals\.js'/.exec(source) ?? []
  const code = source.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|'[^'\n]*'/g, '')
  return [...code.matchAll(present)]
    .filter(([, name = '']) => !new RegExp(`\\b${name || 'no name'}\\b`).test(taken))
    .map(([use]) => `${file}: ${use}`)
}

/** The names that only Node or a page has, among the variables that a module uses. */
function namesOfOneSide(file: string): readonly string[] {
  const names: string[] = []
  const visitor = new Visitor({
    MetaProperty: ({ meta }) => void (meta.name === 'import' && names.push('import.meta')),
    Identifier: ({ name }) => void (ofOneSide.has(name) && names.push(name)),
  })
  visitor.visit(parseSync(file, readFileSync(join('src', file), 'utf8')).program)
  return names
}

const searches = /^(includes|startsWith|endsWith|indexOf|lastIndexOf|match|matchAll|search|split)$/

/** The places where a module looks for several words, or searches what it calls a message or a reason. */
function searchesOf(file: string): readonly string[] {
  const source = readFileSync(join('src', file), 'utf8')
  const found: string[] = []
  const visitor = new Visitor({
    Literal: node =>
      void (
        'regex' in node &&
        /[a-z]{2} [a-z]{2}/i.test(source.slice(node.start, node.end)) &&
        found.push(source.slice(node.start, node.end))
      ),
    CallExpression({ callee, arguments: given, start, end }) {
      if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return
      const { name } = callee.property
      const call = source.slice(start, end)
      const isOfMessage = (of: { start: number; end: number }) =>
        /\b(message|because|sentence|reason|outcome|refusal)\b[?!)\]]*$/.test(source.slice(of.start, of.end))
      const hasWords = given.some(one => /^['"`].*[a-z]{2} [a-z]{2}/i.test(source.slice(one.start, one.end)))
      if (searches.test(name) && (hasWords || isOfMessage(callee.object))) found.push(call)
      if (/^(test|exec)$/.test(name) && given.some(isOfMessage)) found.push(call)
    },
  })
  visitor.visit(parseSync(file, source).program)
  return found
}

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
