import { existsSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { type RolldownOutput, rolldown } from 'rolldown'
import { describe, expect, it } from 'vitest'
import { type Answer, createMockmaker } from '../src/index.js'
import { scenarios } from '../src/scenarios.js'

/** The entries that a browser may load. */
const entries = ['index', 'browser', 'contract', 'scenarios'] as const

interface Bundled {
  readonly code: string
  /** What the bundle still imports: only what Node has built in may stay outside. */
  readonly imports: readonly string[]
  /** The files that something of is in the bundle. */
  readonly modules: readonly string[]
  readonly warnings: readonly string[]
}

/** An entry with all of its libraries, as one script for a browser that leaves the global `bundled`. */
async function bundle(entry: (typeof entries)[number]): Promise<Bundled> {
  const warnings: string[] = []
  const build = await rolldown({
    input: `src/${entry}.ts`,
    platform: 'browser',
    external: id => isBuiltin(id),
    onLog: (level, { message }) => void warnings.push(`${level}: ${message}`),
  })
  const { output }: RolldownOutput = await build.generate({ format: 'iife', name: 'bundled', codeSplitting: false })
  await build.close()
  const [{ code, imports, dynamicImports, modules }] = output
  const held = Object.entries(modules).filter(([, { renderedLength }]) => renderedLength > 0)
  return { code, imports: [...imports, ...dynamicImports], modules: held.map(([file]) => file), warnings }
}

/** What a page has beside the language. */
const { URL, URLSearchParams, TextEncoder, TextDecoder, Headers, Request, Response, fetch } = globalThis
const { AbortController, AbortSignal, Event, EventTarget, MessageEvent, BroadcastChannel, WebSocket } = globalThis
const { ReadableStream, WritableStream, TransformStream, Blob, File, FormData } = globalThis
const { setTimeout, clearTimeout, setInterval, clearInterval, queueMicrotask, performance, crypto } = globalThis

/** Runs a script where there is neither `process` nor `Buffer`, then an expression over what it left; says what was printed. */
function runAsPage<T>(script: string, expression: string): { readonly value: T; readonly printed: readonly unknown[] } {
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
    // MSW keeps its cookies there.
    localStorage: { getItem: () => null, setItem: () => {}, removeItem: () => {}, clear: () => {} },
  })
  runInContext('globalThis.window = globalThis.self = globalThis', page)
  runInContext(script, page)
  return { value: runInContext(expression, page), printed }
}

describe.each(entries)('src/%s.ts, bundled for a browser', async entry => {
  const { code, imports, warnings } = await bundle(entry)

  it('gives the bundler nothing to warn of', () => {
    expect(warnings).toEqual([])
  })

  it('imports and requires nothing of Node', () => {
    expect(imports).toEqual([])
    expect(code.match(/\brequire\(\s*["'`].*/g)).toBeNull()
  })

  it('loads where there is neither `process` nor `Buffer`, and prints nothing', () => {
    const { value, printed } = runAsPage<string>(code, 'typeof process + typeof Buffer + typeof bundled')

    expect(value).toBe('undefinedundefinedobject')
    expect(printed).toEqual([])
  })
})

describe('the core, bundled for a browser', async () => {
  const { code, modules } = await bundle('index')

  it('answers there with the bytes that it has in Node', () => {
    const list = { method: 'GET', path: '/matchmaker/lobbies/list', headers: {} }
    const scenario = { seed: 3, game_modes: ['duel'], generate: { lobbies: 20 } }

    const { value } = runAsPage<Answer>(
      code,
      `bundled.createMockmaker({ scenario: ${JSON.stringify(scenario)} }).answer(${JSON.stringify(list)})`,
    )

    // A read is answered at once.
    const { body } = createMockmaker({ scenario }).answer(list) as Answer
    expect(Buffer.from(value.body).toString()).toBe(Buffer.from(body).toString())
  })

  it('holds the default scenario and no other of the shipped ones', () => {
    const beginning = (title: string | undefined) => JSON.stringify({ title }).slice(0, '{"title":"Frid'.length)
    const unescaped = code.replaceAll('\\"', '"')

    const held = Object.entries(scenarios).filter(([, { title }]) => unescaped.includes(beginning(title)))

    expect(held.map(([name]) => name)).toEqual(['default'])
  })

  it('holds no YAML, and nothing of a server', () => {
    const foreign = modules.filter(file =>
      /node_modules\/(yaml|express|commander)\/|src\/(control|express|node|cli)\//.test(file),
    )

    expect(foreign).toEqual([])
  })
})

/** All that a built file imports, by itself and through the built files that it imports. */
function importsOf(file: string, seen = new Set<string>()): readonly string[] {
  if (seen.has(file)) return []
  seen.add(file)
  if (!existsSync(file)) throw new Error(`${file} is not built: npm run build`)
  const text = readFileSync(file, 'utf8')
  const specifiers = [
    ...text.matchAll(/(?:\bfrom|\bimport|\bimport\(|\brequire\(|<reference types=) ?["']([^"'\n]+)["']/g),
  ].map(([, specifier = '']) => specifier)
  const own = specifiers.filter(specifier => specifier.startsWith('.'))
  const next = own.map(specifier =>
    join(dirname(file), specifier.replace(/\.js$/, file.endsWith('.d.ts') ? '.d.ts' : '.js')),
  )
  return [...specifiers, ...next.flatMap(one => importsOf(one, seen))]
}

describe.each(entries.flatMap(entry => [`dist/${entry}.js`, `dist/${entry}.d.ts`]))('%s', file => {
  it('imports nothing of Node', () => {
    const imports = importsOf(file)

    expect(imports.filter(specifier => isBuiltin(specifier) || specifier === 'node')).toEqual([])
  })
})
