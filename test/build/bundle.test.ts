import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { type RolldownOutput, rolldown } from 'rolldown'
import { parseAst } from 'rolldown/parseAst'
import { describe, expect, it } from 'vitest'
import { scenarios } from '../../src/core/scenario/index.js'
import { createMockmaker, type MockResponse } from '../../src/index.js'

/** The entry points that a browser may load. */
const entries = ['index', 'msw/browser', 'core/contract/index', 'core/scenario/index'] as const

interface Bundled {
  readonly code: string
  /** The modules that the bundle still imports. Only those of Node may stay outside. */
  readonly imports: readonly string[]
  /** The files that have code in the bundle. */
  readonly modules: readonly string[]
  readonly warnings: readonly string[]
}

/** Bundles a file and its libraries for a browser, as one script with the global `bundled`. */
async function bundle(input: string): Promise<Bundled> {
  const warnings: string[] = []
  const build = await rolldown({
    input,
    platform: 'browser',
    external: id => isBuiltin(id),
    onLog: (level, { message }) => void warnings.push(`${level}: ${message}`),
  })
  const { output }: RolldownOutput = await build.generate({ format: 'iife', name: 'bundled', codeSplitting: false })
  await build.close()
  const [{ code, fileName, imports, dynamicImports, modules }] = output
  const held = Object.entries(modules).filter(([, { renderedLength }]) => renderedLength > 0)
  const others = [...imports, ...dynamicImports].filter(one => one !== fileName)
  return { code, imports: others, modules: held.map(([file]) => file), warnings }
}

/** Bundles the exports of a module as one file, minifies it, and returns its size after gzip, in bytes. */
async function pageSize(module: string, external?: RegExp): Promise<number> {
  const build = await rolldown({
    input: 'page',
    platform: 'browser',
    // With it, as in Vite 8, MSW's list of top-level domains comes twice.
    optimization: { inlineConst: false },
    ...(external && { external }),
    plugins: [
      {
        name: 'page',
        resolveId: id => (id === 'page' ? id : null),
        load: id => (id === 'page' ? `export * from ${JSON.stringify(resolve(module))}` : null),
      },
    ],
  })
  const { output } = await build.generate({ format: 'esm', minify: true, codeSplitting: false })
  await build.close()
  return gzipSync(output[0].code, { level: 9 }).length
}

/** The globals of a page beside the language. */
const { URL, URLSearchParams, TextEncoder, TextDecoder, Headers, Request, Response, fetch } = globalThis
const { AbortController, AbortSignal, Event, EventTarget, MessageEvent, BroadcastChannel, WebSocket } = globalThis
const { ReadableStream, WritableStream, TransformStream, Blob, File, FormData } = globalThis
const { setTimeout, clearTimeout, setInterval, clearInterval, queueMicrotask, performance, crypto } = globalThis

/**
 * Runs a script without `process` and `Buffer`, and then an expression. Returns its value, and everything printed. `changed` are
 * globals that differ from those of a page.
 */
function runAsPage<T>(
  script: string,
  expression: string,
  changed: object = {},
): { readonly value: T; readonly printed: readonly unknown[] } {
  const printed: unknown[] = []
  const print = (...args: unknown[]) => void printed.push(...args)
  const page = createContext({
    ...{ URL, URLSearchParams, TextEncoder, TextDecoder, Headers, Request, Response, fetch },
    ...{ AbortController, AbortSignal, Event, EventTarget, MessageEvent, BroadcastChannel, WebSocket },
    ...{ ReadableStream, WritableStream, TransformStream, Blob, File, FormData },
    ...{ setTimeout, clearTimeout, setInterval, clearInterval, queueMicrotask, performance, crypto },
    console: { log: print, info: print, warn: print, error: print, debug: print, trace: print },
    location: { href: 'http://page.test/', origin: 'http://page.test', protocol: 'http:', host: 'page.test' },
    navigator: {},
    // MSW keeps its cookies here.
    localStorage: { getItem: () => null, setItem: () => {}, removeItem: () => {}, clear: () => {} },
    ...changed,
  })
  runInContext('globalThis.window = globalThis.self = globalThis', page)
  runInContext(script, page)
  return { value: runInContext(expression, page), printed }
}

describe.each(entries.map(entry => `dist/${entry}.js`))('%s, bundled for a browser', async input => {
  const { code, imports, warnings } = await bundle(input)

  it('causes no warning of the bundler', () => {
    expect(warnings).toEqual([])
  })

  it('neither imports nor requires a module of Node', () => {
    expect(imports).toEqual([])
    expect(code.match(/\brequire\(\s*["'`].*/g)).toBeNull()
  })

  it('loads without `process` and `Buffer`, and prints nothing', () => {
    const { value, printed } = runAsPage<string>(code, 'typeof process + typeof Buffer + typeof bundled')

    expect(value).toBe('undefinedundefinedobject')
    expect(printed).toEqual([])
  })
})

describe('the core, bundled for a browser', async () => {
  const { code, modules } = await bundle('src/index.ts')

  it('answers there with the same bytes as in Node', () => {
    const list = { method: 'GET', path: '/matchmaker/lobbies/list', headers: {} }
    const scenario = { seed: 3, game_modes: ['duel'], generate: { lobbies: 20 } }

    const { value } = runAsPage<MockResponse>(
      code,
      `bundled.createMockmaker({ scenario: ${JSON.stringify(scenario)} }).answer(${JSON.stringify(list)})`,
    )

    // A read returns its answer without a promise.
    const { body } = createMockmaker({ scenario }).answer(list) as MockResponse
    expect(Buffer.from(value.body).toString()).toBe(Buffer.from(body).toString())
  })

  it('answers in React Native, whose requests have no streams, with the TextDecoder that MSW asks for there', async () => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"game_modes":["duel"]}' }
    const request = Object.defineProperty(new Request('https://any.test/matchmaker/lobbies/find', init), 'body', {
      value: undefined,
    })
    request.arrayBuffer = () => Promise.reject(new Error('FileReader.readAsArrayBuffer is not implemented'))
    class LenientDecoder extends TextDecoder {
      constructor(label?: string, options?: TextDecoderOptions) {
        if (options?.fatal) throw new Error("the 'fatal' option is unsupported")
        super(label)
      }
    }
    const scenario = { game_modes: ['duel'] }

    const { value } = runAsPage<Promise<({ readonly response?: Response } | null)[]>>(
      code,
      `Promise.all(bundled.createMockmaker({ scenario: ${JSON.stringify(scenario)} }).handlers.map(handler => handler.run({ request, requestId: '1' })))`,
      { request, TextDecoder: LenientDecoder },
    )

    expect((await value).flatMap(result => result?.response?.status ?? [])).toEqual([200])
  })

  it('contains the default scenario and no other shipped one', () => {
    const beginning = (title: string | undefined) => JSON.stringify({ title }).slice(0, '{"title":"Frid'.length)
    const unescaped = code.replaceAll('\\"', '"')

    const held = Object.entries(scenarios).filter(([, { title }]) => unescaped.includes(beginning(title)))

    expect(held.map(([name]) => name)).toEqual(['default'])
  })

  it('contains no YAML, and no server', () => {
    const foreign = modules.filter(file =>
      /node_modules\/(yaml|express|commander)\/|src\/(server|cli|client)\/|src\/core\/control\/(api|handler|.*page.*)\.ts/.test(
        file,
      ),
    )

    expect(foreign).toEqual([])
  })
})

describe('the built mockmaker/browser, bundled for a browser and minified', () => {
  const kib = 1024

  it('has at most 297 KiB with MSW, after gzip', async () => {
    expect(await pageSize('dist/msw/browser.js')).toBeLessThan(297 * kib)
  })

  it('has at most 206 KiB without MSW, after gzip', async () => {
    expect(await pageSize('dist/msw/browser.js', /^msw/)).toBeLessThan(206 * kib)
  })
})

describe('the modules that users bundle', () => {
  it('have no static block, to which Turbopack of Next.js 15 gives a private name that minified classes may have', () => {
    const files = readdirSync('dist', { recursive: true, encoding: 'utf8' })
    const modules = files.filter(file => file.endsWith('.js') && !file.startsWith('cli'))
    const hasBlock = (file: string) => /(?<![\w$])static\s*\{/.test(readFileSync(join('dist', file), 'utf8'))

    expect(modules.length).toBeGreaterThan(30)
    expect(modules.filter(hasBlock)).toEqual([])
  })
})

describe('the client, bundled for a browser', async () => {
  const { modules } = await bundle('src/client/index.ts')

  it('contains neither schemas nor code that answers requests', () => {
    const own =
      /src\/(client\/\w+|core\/(control\/new-rows|pipeline\/(fault-calls|journal-mismatch|fault-input|request-text|wait-options)|contract\/paths|lib\/[\w-]+|store\/(query|table-calls|table-names)))\.ts$/
    // The queries come from the data library. Arguments are checked as in-process.
    const library =
      /node_modules\/(eventsource-parser|fastest-levenshtein|@mswjs\/data|es-toolkit|mutative|outvariant)\//

    expect(modules.filter(file => !own.test(file) && !library.test(file))).toEqual([])
  })
})

/** Returns the imports of built declarations, including those of the files that they import. */
function importsOf(file: string, seen = new Set<string>()): readonly string[] {
  if (seen.has(file)) return []
  seen.add(file)
  if (!existsSync(file)) throw new Error(`${file} is not built: npm run build`)
  const text = readFileSync(file, 'utf8')
  const specifiers = [...text.matchAll(/(?:\bfrom|\bimport|\bimport\(|<reference types=) ?["']([^"'\n]+)["']/g)].map(
    ([, specifier = '']) => specifier,
  )
  const own = specifiers.filter(specifier => specifier.startsWith('.'))
  const next = own.map(specifier => join(dirname(file), specifier.replace(/\.js$/, '.d.ts')))
  return [...specifiers, ...next.flatMap(one => importsOf(one, seen))]
}

describe.each(entries.map(entry => `dist/${entry}.d.ts`))('%s', file => {
  it('imports nothing of Node', () => {
    const imports = importsOf(file)

    expect(imports.filter(specifier => isBuiltin(specifier) || specifier === 'node')).toEqual([])
  })
})

/** Returns the built files that contain code of each source file. */
function holders(): ReadonlyMap<string, readonly string[]> {
  const maps = readdirSync('dist', { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.js.map'))
    .map(name => join('dist', name))
  const pairs = maps.flatMap(map => {
    const { sources } = JSON.parse(readFileSync(map, 'utf8')) as { readonly sources: readonly string[] }
    return sources.map(source => ({ source: join(dirname(map), source), map }))
  })
  return new Map(
    pairs.map(({ source }) => [source, pairs.filter(pair => pair.source === source).map(({ map }) => map)]),
  )
}

describe.each(['dist/index.js', 'dist/msw/browser.js', 'dist/client/index.js'])('%s', file => {
  it('names no Buffer, for which Parcel would add a polyfill to the project', () => {
    const texts = [...packagesByFile(file).keys()].map(path => readFileSync(path, 'utf8'))

    expect(texts.flatMap(text => text.match(/(?<![.\w$])Buffer\b.{0,40}/g) ?? [])).toEqual([])
  })
})

describe('mockmaker/playwright', () => {
  it('loads no MSW, and nothing of Express', () => {
    expect([...packagesByFile('dist/testing/playwright/index.js').values()].flat()).toEqual(['@playwright/test'])
  })
})

/** Returns a built module and all chunks that it imports statically, each with the packages that it imports. */
function packagesByFile(file: string, found = new Map<string, readonly string[]>()): typeof found {
  if (found.has(file)) return found
  const sources = parseAst(readFileSync(file, 'utf8')).body.map(node => ('source' in node ? node.source : undefined))
  const names = sources.flatMap(source => (source && !/^(node:|#)/.test(source.value) ? [source.value] : []))
  const own = names.filter(name => name.startsWith('.'))
  found.set(
    file,
    names.filter(name => !own.includes(name)),
  )
  for (const name of own) packagesByFile(join(dirname(file), name), found)
  return found
}

describe('the built library', () => {
  it('has short lines, because Node prints the line of an error that nobody catches', () => {
    const chunks = readdirSync('dist/chunks').filter(name => name.endsWith('.js'))
    const files = ['dist/cli.js', ...chunks.map(name => join('dist/chunks', name))]

    const lengths = files.map(file => {
      const text = readFileSync(file, 'utf8')
      return text.length / text.split('\n').length
    })
    expect(Math.max(...lengths)).toBeLessThan(500)
  })

  it('has no import.meta in what tests load, because Babel leaves it in the CommonJS that Jest runs', () => {
    const files = readdirSync('dist', { recursive: true, encoding: 'utf8' }).filter(
      name =>
        name.endsWith('.js') && !/^(?:cli|testing\/(?:jest|vite|storybook\/preset)|chunks\/vite-server)\b/.test(name),
    )

    expect(files.filter(name => readFileSync(join('dist', name), 'utf8').includes('import.meta'))).toEqual([])
    expect(files).toContain('server/http/index.js')
  })

  it('has no descriptions of scenario keys, which only the generated files need', () => {
    const described = /Default: the status of the code|the first one that its game mode enables/
    const chunks = readdirSync('dist/chunks').filter(name => name.endsWith('.js'))

    expect(chunks.filter(name => described.test(readFileSync(join('dist/chunks', name), 'utf8')))).toEqual([])
  })

  it('contains each module once, so that classes are the same through all entry points', () => {
    const held = holders()

    expect([...held].filter(([, files]) => files.length > 1)).toEqual([])
    expect(held.get('src/core/lib/messages.ts')).toHaveLength(1)
  })

  it('has the licence of each bundled library', () => {
    const folders = [...holders().keys()].map(file => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0])
    const names = [...new Set(folders)]
      .filter(folder => folder !== undefined)
      .map(folder => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).name as string)

    const licences = readFileSync('dist/chunks/licences.txt', 'utf8').split(/^== /m)

    const licensed = (name: string) => licences.some(text => text.startsWith(`${name} `) && /permission/i.test(text))
    expect(names).toContain('zod')
    expect(names.filter(name => !licensed(name))).toEqual([])
  })
})
