import { existsSync, linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { packPackage, runProgram } from '../support/example-projects.js'
import { environmentWithoutVitest } from '../support/project.js'

// Other people's tools judge the packed package. Each row of a table is a tool, and each column an entry point.

const ofMatrix = [
  ...['rollup', '@rollup/plugin-node-resolve', '@rollup/plugin-commonjs', '@rollup/plugin-json'],
  'vite6@npm:vite@6',
]
const packages = [
  ...['msw@2', 'express@5', 'fast-check@4', 'webpack', '@vercel/nft', 'resolve.exports@2'],
  ...(process.env.CI ? [] : ofMatrix),
]

const root = mkdtempSync(join(tmpdir(), 'mockmaker-resolution-'))
const project = join(root, 'project')
/** Outside of the project, so that nothing is found in its node_modules. */
const elsewhere = join(root, 'elsewhere')
const env = environmentWithoutVitest()
/** For npm and bundlers on a busy machine, in ms. */
const patience = 600_000

/** Programs for Node, by entry point. Each prints what it has found. */
const programs = {
  mockmaker: `
    const { createMockmaker } = await import('mockmaker')
    const { body } = await createMockmaker().answer({ method: 'GET', path: '/matchmaker/lobbies/list', headers: {} })
    console.log(JSON.parse(new TextDecoder().decode(body)).lobbies.length, 'lobbies')`,
  'mockmaker/node': `
    const { writeFileSync } = await import('node:fs')
    const { setupMockmaker } = await import('mockmaker/node')
    writeFileSync('own.yaml', 'game_modes: [duel]\\nlobbies: [{ game_mode_id: duel }, { game_mode_id: duel }]\\n')
    const mock = setupMockmaker({ scenario: 'own.yaml' })
    mock.listen()
    const { lobbies } = await (await fetch('http://any.test/matchmaker/lobbies/list')).json()
    await mock.close()
    console.log(lobbies.length, 'lobbies')`,
  'mockmaker/express': `
    const { createMockmaker } = await import('mockmaker')
    const { createApp, listen } = await import('mockmaker/express')
    const server = await listen(createMockmaker(), { port: 0 })
    const get = path => fetch(server.url + path, { headers: { accept: 'text/html' } })
    const { lobbies } = await (await get('/matchmaker/lobbies/list')).json()
    const page = await (await get('/')).text()
    const { openapi } = await (await get('/__mock/openapi.json')).json()
    await server.close()
    let app = 'an app'
    try { createApp(createMockmaker()) } catch (error) { app = error.message }
    console.log(lobbies.length, 'lobbies,', page.includes('<title>') ? 'a page,' : page, 'OpenAPI', openapi + ',', app)`,
}

type Program = keyof typeof programs

const printed: Readonly<Record<Program, string>> = {
  mockmaker: '7 lobbies',
  'mockmaker/node': '2 lobbies',
  'mockmaker/express': '7 lobbies, a page, OpenAPI 3.1.0, an app',
}

/** Express requires modules of Node, which esbuild cannot do in an ES module. The message says what to ship beside it. */
const printedByEsbuild: typeof printed = {
  ...printed,
  'mockmaker/express':
    '7 lobbies, a page, OpenAPI 3.1.0, createApp cannot load Express, which it needs: npm install express',
}
const nodeEntries = Object.keys(printed) as Program[]

/** The entry points that code of a page imports. Those for Node alone have a stub. */
const pageEntries = [
  ...['mockmaker', 'mockmaker/browser', 'mockmaker/client', 'mockmaker/scenarios', 'mockmaker/contract'],
  ...['mockmaker/arbitraries', 'mockmaker/node', 'mockmaker/express'],
]

const entriesOf = { page: pageEntries, node: nodeEntries }

type Side = keyof typeof entriesOf

const fileOf = (side: Side, entry: string) => `${side}-${entry.replace('/', '-')}.js`

function textOf(side: Side, entry: string): string {
  if (side === 'page') return `import * as entry from '${entry}'\nconsole.log(Object.keys(entry))\n`
  return `async function main() {${programs[entry as Program]}\n}\nmain()\n`
}

/** The input of a bundler: the files of a side by their names without an ending. */
function inputs(side: Side): Record<string, string> {
  const files = entriesOf[side].map(entry => fileOf(side, entry))
  return Object.fromEntries(files.map(file => [file.slice(0, -'.js'.length), join(project, file)]))
}

/** Tools with which this checkout builds and tests. */
const ofCheckout = new Set(['esbuild', 'rolldown', 'vite'])

/** Imports a tool from the project, or from this checkout. */
// biome-ignore lint/suspicious/noExplicitAny: the tools are not installed here, so they have no types
const load = (name: string): Promise<any> =>
  import(/* @vite-ignore */ pathToFileURL(requireFor(name).resolve(name)).href)

const requireFor = (name: string) => createRequire(resolve(ofCheckout.has(name) ? '.' : project, 'package.json'))

/** For a page, rollup keeps all code: no module of Node may hide in what it would drop, and it takes less time. */
const treeshakes = (side: Side) => side === 'node'

/** Bundlers, by name. Each writes a module for each file of a side into a folder. */
const bundlers: Readonly<Record<string, (side: Side, outdir: string) => Promise<unknown>>> = {
  esbuild: (side, outdir) => buildWithEsbuild({ format: 'esm', splitting: true }, side, outdir),
  async 'esbuild to CommonJS'(side, outdir) {
    await buildWithEsbuild({ format: 'cjs' }, side, outdir)
    writeFileSync(join(outdir, 'package.json'), '{ "type": "commonjs" }')
  },
  async rolldown(side, dir) {
    const { build } = await load('rolldown')
    const platform = side === 'page' ? 'browser' : 'node'
    await build({ input: inputs(side), platform, onLog: refuseWarning, output: { dir } })
  },
  async rollup(side, dir) {
    const { rollup } = await load('rollup')
    const { nodeResolve } = await load('@rollup/plugin-node-resolve')
    const { default: commonjs } = await load('@rollup/plugin-commonjs')
    const { default: json } = await load('@rollup/plugin-json')
    const resolve = nodeResolve(side === 'page' ? { browser: true } : { exportConditions: ['node'] })
    const bundle = await rollup({
      input: inputs(side),
      plugins: [resolve, commonjs(), json()],
      treeshake: treeshakes(side),
      onLog: refuseWarning,
    })
    await bundle.write({ dir })
  },
  async webpack(side, path) {
    const { default: webpack } = await load('webpack')
    const compiler = webpack({
      mode: 'none',
      context: project,
      target: side === 'page' ? 'web' : 'node20',
      entry: inputs(side),
      experiments: { outputModule: true },
      output: { path, filename: '[name].js', module: true, chunkFormat: 'module', library: { type: 'module' } },
      // MSW imports this module of Node, which webpack does not know.
      externals: side === 'page' ? {} : { _http_common: 'module _http_common' },
    })
    type Problem = { readonly moduleName?: string }
    const stats = await new Promise<{ toJson(options: object): { errors: Problem[]; warnings: Problem[] } }>(
      (resolve, reject) => {
        compiler.run((error: unknown, result: never) => (error ? reject(error) : resolve(result)))
      },
    )
    const { errors, warnings } = stats.toJson({ all: false, errors: true, warnings: true })
    // Express requires the view engine that an app names.
    const ours = warnings.filter(({ moduleName }) => !moduleName?.endsWith('/express/lib/view.js'))
    expect([...errors, ...ours]).toEqual([])
  },
  'Vite 6': (side, outDir) => buildWithVite('vite6', side, outDir),
  'Vite 8': (side, outDir) => buildWithVite('vite', side, outDir),
}

/** Vite 6 bundles for Node as rollup does, and Vite 8 as rolldown does. */
const bundlersForNode = Object.entries(bundlers).filter(([name]) => !name.startsWith('Vite'))

/**
 * CI leaves out rollup, also as the bundler of Vite 6, since rolldown resolves as it does. For a page, Vite 8 bundles with rolldown. webpack
 * reads the same code for a page as for Node, and rolldown chooses the same files for Node.
 */
const inMatrix = ['rollup page', 'rollup node', 'Vite 6 page', 'rolldown page', 'webpack node']
const tagsOf = (side: Side, name: string) => (inMatrix.includes(`${name} ${side}`) ? ['matrix'] : [])

async function buildWithEsbuild(options: object, side: Side, outdir: string): Promise<void> {
  const { build } = await load('esbuild')
  const platform = side === 'page' ? 'browser' : 'node'
  await build({ ...options, bundle: true, logLevel: 'silent', entryPoints: inputs(side), platform, outdir })
}

/** Throws for the warnings of a bundler that mean that something is lost. */
function refuseWarning(level: string, log: { readonly code?: string; readonly message: string }): void {
  if (level === 'warn' && /UNRESOLVED|MISSING/.test(log.code ?? '')) throw new Error(log.message)
}

async function buildWithVite(name: string, side: Side, outDir: string): Promise<void> {
  const { build } = await load(name)
  await build({
    configFile: false,
    root: project,
    logLevel: 'silent',
    build: {
      outDir,
      target: 'esnext',
      minify: false,
      rollupOptions: { input: inputs(side), treeshake: treeshakes(side), output: { entryFileNames: '[name].js' } },
    },
  })
}

/** Runs a program in a folder, and returns its output. */
async function run(folder: string, ...args: string[]): Promise<string> {
  const { output } = await runProgram(process.execPath, args, { cwd: folder, env })
  return output
}

/** Imports the programs in a folder one after the other, and returns what each has printed. */
async function runEntries(folder: string): Promise<Partial<Record<Program, string>>> {
  const script = `
    const { log } = console
    const printed = {}
    for (const [entry, file] of Object.entries(JSON.parse(process.argv[1]))) {
      printed[entry] = await new Promise((resolve, reject) => {
        console.log = (...words) => resolve(words.join(' '))
        import(file).catch(reject)
      })
    }
    log(JSON.stringify(printed))`
  const files = Object.fromEntries(
    nodeEntries.map(entry => [entry, pathToFileURL(join(folder, fileOf('node', entry))).href]),
  )
  return JSON.parse(await run(folder, '--input-type=module', '-e', script, JSON.stringify(files)))
}

/** Returns the texts of a built module and of all that it loads. */
function closure(file: string, seen = new Set<string>()): readonly string[] {
  if (seen.has(file) || !existsSync(file)) return []
  seen.add(file)
  const text = readFileSync(file, 'utf8')
  const next = [...text.matchAll(/["'](\.\.?\/[^"'\n]+\.js)["']/g)].map(([, path = '']) => join(dirname(file), path))
  return [text, ...next.flatMap(path => closure(path, seen))]
}

/** Modules of Node in the code of a page outside of comments, also if a bundler has replaced them. */
const ofNode = /^(?!\s*(?:\*|\/[/*])).*(?:\b(?:from|import|require)\b ?\(?["'`]node:\w+|browser-external\W)/m

beforeAll(async () => {
  const packed = await packPackage()
  mkdirSync(project)
  mkdirSync(elsewhere)
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }')
  const install = ['install', '--no-audit', '--no-fund', '--prefer-offline', packed.tarball, ...packages]
  const { code, output } = await runProgram('npm', install, { cwd: project, env })
  packed.remove()
  if (code !== 0) throw new Error(`npm install ends with ${code}:\n${output}`)
  for (const side of ['page', 'node'] as const)
    for (const entry of entriesOf[side]) writeFileSync(join(project, fileOf(side, entry)), textOf(side, entry))
}, patience)

afterAll(() => rmSync(root, { recursive: true }))

for (const [name, bundle] of Object.entries(bundlers))
  describe(`${name} for a page`, { tags: tagsOf('page', name) }, () => {
    const folder = join(elsewhere, `${name} page`)
    beforeAll(() => bundle('page', folder), patience)

    it.each(pageEntries)('bundles %s without a module of Node', entry => {
      const texts = closure(join(folder, fileOf('page', entry)))

      expect(texts.length).toBeGreaterThan(0)
      expect(texts.map(text => ofNode.exec(text)?.[0]).filter(Boolean)).toEqual([])
    })
  })

for (const [name, bundle] of bundlersForNode)
  describe(`${name} for Node`, { tags: tagsOf('node', name) }, () => {
    const folder = join(elsewhere, `${name} node`)
    beforeAll(async () => {
      await bundle('node', folder)
      const ownManifest = join(folder, 'package.json')
      if (!existsSync(ownManifest)) writeFileSync(ownManifest, '{ "type": "module" }')
    }, patience)

    it('bundles what runs in another folder', async () => {
      expect(await runEntries(folder)).toEqual(name === 'esbuild' ? printedByEsbuild : printed)
    })
  })

describe.each(process.env.CI ? ['vite'] : ['vite6', 'vite'])('%s in development', name => {
  // biome-ignore lint/suspicious/noExplicitAny: as for `load`
  let server: any
  const served = new Map<string, Promise<string>>()
  beforeAll(async () => {
    const { createServer } = await load(name)
    const options = { configFile: false, root: project, cacheDir: join(root, name), logLevel: 'silent' }
    // As those of a page of HTML, so that it bundles all dependencies at once.
    const optimizeDeps = { entries: pageEntries.map(entry => fileOf('page', entry)) }
    server = await createServer({ ...options, optimizeDeps, server: { port: 0, host: '127.0.0.1' } })
    await server.listen()
  }, patience)
  afterAll(() => server.close())

  it.each(pageEntries)('serves %s without a module of Node', async entry => {
    const base = `http://127.0.0.1:${server.httpServer.address().port}/`
    const texts = await servedClosure(new URL(fileOf('page', entry), base).href, served)

    expect(texts.length).toBeGreaterThan(1)
    expect(texts.map(text => ofNode.exec(text)?.[0]).filter(Boolean)).toEqual([])
  })
})

/** Returns the texts of a served module and of all that it imports. Fetches what `served` lacks. */
async function servedClosure(
  url: string,
  served: Map<string, Promise<string>>,
  seen = new Set<string>(),
): Promise<readonly string[]> {
  if (seen.has(url)) return []
  seen.add(url)
  const fetched = served.get(url) ?? textAt(url)
  served.set(url, fetched)
  const text = await fetched
  const specifiers = [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*["']([./][^"'\n]*)["']/g)]
  const next = await Promise.all(
    specifiers.map(([, path = '']) => servedClosure(new URL(path, url).href, served, seen)),
  )
  return [text, ...next.flat()]
}

async function textAt(url: string): Promise<string> {
  const response = await fetch(url)
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${url}: ${response.status} ${text}`)
  return text
}

describe('@vercel/nft', () => {
  const cache = {}
  // Node 20.19 and newer take the second one, which libraries of Express have.
  const conditions = ['node', 'module-sync']

  // That of Express imports `mockmaker` too.
  it.each(nodeEntries.slice(1))('finds all files of %s, which runs in another folder', async entry => {
    const { nodeFileTrace } = await load('@vercel/nft')
    const { fileList } = await nodeFileTrace([join(project, fileOf('node', entry))], {
      base: project,
      cache,
      conditions,
    })
    const folder = join(elsewhere, `traced ${entry.replace('/', ' ')}`)
    for (const file of fileList) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      linkSync(join(project, file), join(folder, file))
    }

    expect(await run(folder, fileOf('node', entry))).toBe(`${printed[entry]}\n`)
  })
})

describe('resolve.exports', () => {
  const subpaths = Object.keys(manifest.exports)
  const resolveWith = async (subpath: string, conditions: readonly string[]) => {
    const resolver = await load('resolve.exports')
    const [path] = resolver.resolve(manifest, subpath, { unsafe: true, conditions: [...conditions, 'default'] })
    return join(project, 'node_modules/mockmaker', path)
  }

  it.each([[['import']], [['require']], [['import', 'browser']], [['require', 'browser']]])(
    'finds the files that Node finds, with the conditions %j',
    async ([kind = '', ...more]) => {
      const resolve = kind === 'import' ? 'fileURLToPath(import.meta.resolve(name))' : 'require.resolve(name)'
      const script = `
        import { createRequire } from 'node:module'
        import { fileURLToPath } from 'node:url'
        const require = createRequire(process.cwd() + '/program.js')
        const names = process.argv.slice(1)
        console.log(JSON.stringify(names.map(name => ${resolve})))`
      const flags = more.map(condition => `--conditions=${condition}`)
      const names = subpaths.map(subpath => subpath.replace('.', 'mockmaker'))

      const found = JSON.parse(await run(project, ...flags, '--input-type=module', '-e', script, ...names))

      expect(await Promise.all(subpaths.map(subpath => resolveWith(subpath, [kind, 'node', ...more])))).toEqual(found)
    },
  )

  it.each([[['node', 'node-addons']], [['browser']], [['react-native']]])(
    'finds a file for Jest with %j',
    async own => {
      const found = await Promise.all(subpaths.map(subpath => resolveWith(subpath, ['require', ...own])))

      expect(found.filter(file => !existsSync(file))).toEqual([])
    },
  )
})
