import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const namesIn = (file: string) => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, object | undefined>
  return Object.keys({ ...dependencies, ...devDependencies })
}

/** Libraries that are bundled. Users install MSW, which loads its own libraries. */
const ofMsw = ['msw', ...namesIn('node_modules/msw/package.json')]
const bundled = namesIn('package.json').filter(name => !ofMsw.includes(name))

/** Prints the URL of each imported module. */
const listing = `import { writeSync } from 'node:fs'
export const load = (url, context, next) => (writeSync(1, url + '\\n'), next(url, context))`

const known = new Map<string, string>()

/** Lists what a new process loads while it runs a script. The same script runs once. */
function loadedFiles(script: string): string {
  const files = known.get(script) ?? listFiles(script)
  known.set(script, files)
  return files
}

function listFiles(script: string): string {
  const register = `import { register } from 'node:module'; register(${JSON.stringify(dataUrl(listing))})`
  const required = `import { createRequire } from 'node:module'; console.log(Object.keys(createRequire(import.meta.url).cache).join('\\n'))`
  return run(`${script}\n${required}`, ['--import', dataUrl(register)])
}

/** Returns what a module prints in a new process. */
function run(script: string, flags: readonly string[] = []): string {
  return execFileSync(process.execPath, [...flags, '--input-type=module', '-e', script], { encoding: 'utf8' })
}

/** Returns the bundled libraries that a new process loads from their packages while it runs a script. */
function loadedBy(script: string): readonly string[] {
  const loaded = loadedFiles(script)
  return bundled.filter(name => loaded.includes(`/node_modules/${name}/`))
}

const dataUrl = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`

/** The entry points that a new process imports, each with its file. */
const entries = [
  ['mockmaker', 'index', 'createMockmaker'],
  ['mockmaker/node', 'msw/node', 'setupMockmaker'],
] as const

describe('a process that imports the package', () => {
  it('loads no library except MSW', () => {
    const files = ['msw/node', 'core/contract/index', 'core/scenario/index', 'index', 'server/http/index']

    expect(loadedBy(files.map(file => `await import('./dist/${file}.js')`).join('\n'))).toEqual([])
  })

  it('loads only a part of MSW for an `import` in Node, and all of it elsewhere', () => {
    // MSW 2 has `.mjs` files.
    const barrel = /\/msw\/lib\/core\/index\.m?js$/m

    expect(loadedFiles(entries.map(([name]) => `await import('${name}')`).join('\n'))).not.toMatch(barrel)
    for (const [, file] of entries) expect(loadedFiles(`await import('./dist/${file}.js')`), file).toMatch(barrel)
  })

  it('can require it', () => {
    const calls = entries.map(([name, , create]) => `console.log(require('${name}').${create}().handlers.length > 0)`)

    expect(execFileSync(process.execPath, ['--no-warnings', '-e', calls.join('\n')], { encoding: 'utf8' })).toBe(
      'true\ntrue\n',
    )
  })

  it('gets handlers of the class that `msw` exports', () => {
    const handlers = run(`import { HttpHandler } from 'msw'
for (const entry of ['./dist/msw/node.js', 'mockmaker/node']) {
  const { setupMockmaker } = await import(entry)
  console.log(setupMockmaker().handlers.every(handler => handler instanceof HttpHandler))
}`)

    expect(handlers).toBe('true\ntrue\n')
  })

  it('gets the same exports for a part of MSW and for all of it, and for a page and for Node', () => {
    const files = [
      ...['index', 'msw/node', 'msw/light/index', 'msw/light/node'],
      ...['msw/in-browser', 'msw/in-react-native', 'server/http/index'],
    ]
    const names = JSON.parse(
      run(`const names = {}
for (const file of ${JSON.stringify(files)}) names[file] = Object.keys(await import('./dist/' + file + '.js')).sort()
console.log(JSON.stringify(names))`),
    )

    expect(names.index.length).toBeGreaterThan(3)
    expect(names['msw/light/index']).toEqual(names.index)
    expect(names['msw/light/node']).toEqual(names['msw/node'])
    expect(names['msw/in-browser']).toEqual([...names['server/http/index'], ...names['msw/node']].sort())
    expect(names['msw/in-react-native']).toEqual(names['msw/in-browser'])
  })
})

describe('setupMockmaker of dist/msw/node.js', () => {
  const setup = (...scenarios: readonly unknown[]) =>
    scenarios
      .map(
        scenario =>
          `await (await import('./dist/msw/node.js')).setupMockmaker(${JSON.stringify({ scenario })}).close()`,
      )
      .join('\n')
  const ofObjects = setup({ game_modes: ['duel'], generate: { lobbies: 1 } }, 'tokens-only')
  const ofFile = setup('fixtures/default.yaml')

  it('loads no library from its package for any scenario', () => {
    for (const script of [ofObjects, ofFile]) expect(loadedBy(script), script).toEqual([])
  })

  it('loads the bundle of YAML only for a file', () => {
    expect(loadedFiles(ofObjects)).not.toContain('yaml-library')
    expect(loadedFiles(ofFile)).toContain('yaml-library')
  })
})

describe('an entry point that is loaded on the wrong platform', () => {
  /** Imports entry points as a page would, or as a server, and returns what each call says. */
  const said = (calls: readonly (readonly [entry: string, call: string])[], flags: readonly string[] = []) =>
    run(
      `for (const [entry, call] of ${JSON.stringify(calls)}) {
  const exported = await import('mockmaker/' + entry)
  try { exported[call](); console.log('it passed') } catch (error) { console.log(error.name, error.message) }
}`,
      flags,
    )

  it('can be imported on a server, and says when it is called that it works only in a page', () => {
    expect(said([['browser', 'setupMockmaker']])).toMatch(
      /^UsageError mockmaker\/browser .*mockmaker\/node here\. More in the package: .*\n$/,
    )
  })

  const calls = [
    ...[['node', 'setupMockmaker'] as const, ['express', 'createApp'] as const],
    ...[['express', 'listen'] as const, ['express', 'mockExpress'] as const],
  ]

  it('can be imported in React Native, and says when it is called what works there', () => {
    const all = [...calls, ['browser', 'setupMockmaker'] as const]

    expect(said(all, ['--conditions', 'react-native'])).toBe(
      all
        .map(
          () =>
            'UsageError this entry point does not work in React Native: call createMockmaker of mockmaker, and give its handlers to setupServer of msw/native. More in the package: docs/something-is-wrong.md\n',
        )
        .join(''),
    )
  })

  it('can be imported in a page, and says when it is called that it needs Node', () => {
    expect(said(calls, ['--conditions', 'browser']).trimEnd().split('\n')).toEqual(
      calls.map(([entry]) =>
        expect.stringMatching(new RegExp(`^UsageError mockmaker/${entry} needs Node.*mockmaker/browser in a page`)),
      ),
    )
  })
})
