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
  const args = ['--import', dataUrl(register), '--input-type=module', '-e', `${script}\n${required}`]
  return execFileSync(process.execPath, args, { encoding: 'utf8' })
}

/** Returns the bundled libraries that a new process loads from their packages while it runs a script. */
function loadedBy(script: string): readonly string[] {
  const loaded = loadedFiles(script)
  return bundled.filter(name => loaded.includes(`/node_modules/${name}/`))
}

const dataUrl = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`

describe('a process that imports', () => {
  it.for([['msw/node'], ['core/contract/index'], ['core/scenario/index'], ['index'], ['server/http/index']] as const)(
    'dist/%s.js loads no library except MSW',
    ([entry]) => {
      expect(loadedBy(`await import('./dist/${entry}.js')`)).toEqual([])
    },
  )
})

describe('setupMockmaker of dist/msw/node.js', () => {
  const setup = (options: object) =>
    `const { setupMockmaker } = await import('./dist/msw/node.js'); setupMockmaker(${JSON.stringify(options)}).close()`

  it.for([{ game_modes: ['duel'], generate: { lobbies: 1 } }, 'tokens-only', 'fixtures/default.yaml'])(
    'loads no library from its package for the scenario %o',
    scenario => {
      expect(loadedBy(setup({ scenario }))).toEqual([])
    },
  )

  it('loads the bundle of YAML only for a file', () => {
    expect(loadedFiles(setup({ scenario: 'tokens-only' }))).not.toContain('yaml-library')
    expect(loadedFiles(setup({ scenario: 'fixtures/default.yaml' }))).toContain('yaml-library')
  })

  it.for(['./dist/msw/node.js', 'mockmaker/node'])('creates handlers of the class that `msw` exports: %s', entry => {
    const handlers = execFileSync(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `import { HttpHandler } from 'msw'; import { setupMockmaker } from '${entry}'
console.log(setupMockmaker().handlers.every(handler => handler instanceof HttpHandler))`,
      ],
      { encoding: 'utf8' },
    )

    expect(handlers).toBe('true\n')
  })
})

describe.each([
  ['mockmaker', 'index', 'createMockmaker'],
  ['mockmaker/node', 'msw/node', 'setupMockmaker'],
])('%s', (name, file, create) => {
  // MSW 2 has `.mjs` files.
  const barrel = /\/msw\/lib\/core\/index\.m?js$/m

  it('loads only a part of MSW for an `import` in Node, and all of it elsewhere', () => {
    expect(loadedFiles(`await import('${name}')`)).not.toMatch(barrel)
    expect(loadedFiles(`await import('./dist/${file}.js')`)).toMatch(barrel)
  })

  it('can be required', () => {
    const script = `console.log(require('${name}').${create}().handlers.length > 0)`

    expect(execFileSync(process.execPath, ['--no-warnings', '-e', script], { encoding: 'utf8' })).toBe('true\n')
  })

  it('has the same exports for both', async () => {
    const names = async (specifier: string) => Object.keys(await import(/* @vite-ignore */ specifier)).sort()

    expect(await names(`../../dist/msw/light/${file.replace('msw/', '')}.js`)).toEqual(
      await names(`../../dist/${file}.js`),
    )
  })
})

describe('an entry point that is loaded on the wrong platform', () => {
  const said = (entry: string, call: string, flags: readonly string[] = []) =>
    execFileSync(
      process.execPath,
      [
        ...flags,
        '--input-type=module',
        '-e',
        `import { ${call} } from 'mockmaker/${entry}'
try { ${call}() } catch (error) { console.log(error.name, error.message) }`,
      ],
      { encoding: 'utf8' },
    )

  it('can be imported on a server, and says when it is called that it works only in a page', () => {
    expect(said('browser', 'setupMockmaker')).toMatch(/^UsageError mockmaker\/browser .*mockmaker\/node here\n$/)
  })

  it.for([
    ['node', 'setupMockmaker'],
    ['express', 'createApp'],
    ['express', 'listen'],
    ['express', 'mockExpress'],
  ] as const)('can be imported in a page, and says when it is called that it needs Node: %s %s', ([entry, call]) => {
    const sentence = new RegExp(`^UsageError mockmaker/${entry} needs Node.*mockmaker/browser in a page`)

    expect(said(entry, call, ['--conditions', 'browser'])).toMatch(sentence)
  })

  it('has the same exports for a page as for Node', async () => {
    const names = async (file: string) => Object.keys(await import(/* @vite-ignore */ `../../dist/${file}.js`)).sort()

    expect(await names('msw/in-browser')).toEqual(
      [...(await names('server/http/index')), ...(await names('msw/node'))].sort(),
    )
  })
})
