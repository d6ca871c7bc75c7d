import { readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join } from 'node:path'
import { gzipAsync } from '@gfx/zopfli'
import { defineConfig, type OutputChunk, type Plugin, type RolldownOptions } from 'rolldown'
import { noEvalInPages, plainStacks, pureFaker, shortLines, withoutDescriptions } from './lighten.js'

/** Users install the peers themselves. All other libraries are in the bundles: one file loads faster than hundreds. */
const peers = Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).peerDependencies)
const peer = new RegExp(`^(${[...peers, '@jest/globals'].join('|')})(/|$)`)
// chokidar imports `fs` and its like without `node:`.
const external = (id: string) => isBuiltin(id) || peer.test(id) || id.startsWith('#')

/** A warning fails the build. Otherwise the output of the tests would hide it. */
const strict = {
  onLog: (level, log, handle) => handle(level === 'warn' ? 'error' : level, log),
  // A busy machine is no reason for a warning.
  checks: { bundlerTimings: false },
} satisfies RolldownOptions

/** Shorter, with the names of functions, classes and methods as they are: a stack stays readable. */
const minify = { compress: true, mangle: { toplevel: false } }

/** The entry points, and the files that the preset of Jest names. */
const modules = [
  ...[
    'index',
    'testing/arbitraries/index',
    'client/index',
    'core/contract/index',
    'server/http/index',
    'lab/index',
    'lab/in-browser',
    'testing/playwright/index',
    'core/scenario/index',
  ],
  ...['msw/node', 'msw/light/index', 'msw/light/node', 'msw/browser'],
  ...['msw/in-browser', 'msw/in-react-native', 'msw/on-server', 'msw/capsule-in-page', 'server/files/capsule-html'],
  ...['testing/vitest/index', 'testing/vitest/in-page', 'testing/vite/index'],
  ...['testing/storybook/index', 'testing/storybook/preview', 'testing/storybook/preset'],
  ...['testing/storybook/in-node', 'testing/storybook/in-page'],
  ...['testing/jest/index', 'testing/jest/globals', 'testing/jest/setup'],
]

export default defineConfig([
  {
    ...strict,
    input: Object.fromEntries(modules.map(module => [module, `src/${module}.ts`])),
    external,
    plugins: [pureFaker(), noEvalInPages(), withoutDescriptions(), shortLines(), licences('chunks/licences.txt')],
    output: { dir: 'dist', chunkFileNames: 'chunks/[name]-[hash].js', sourcemap: 'hidden', minify },
  },
  {
    ...strict,
    // By itself, because almost all of it is a library.
    input: { 'testing/jest/transform': 'src/testing/jest/transform.ts' },
    external,
    plugins: [licences('testing/jest/licences.txt')],
    output: { dir: 'dist', minify },
  },
  {
    ...strict,
    // By itself, because most processes do not load it.
    input: { 'yaml-library': 'yaml' },
    // Without modules of Node: a bundle of ES modules cannot require them.
    platform: 'browser',
    plugins: [licences('yaml-licences.txt')],
    output: { dir: 'dist', format: 'cjs', exports: 'named', entryFileNames: '[name].cjs', minify },
  },
  {
    ...strict,
    // One bundle with all libraries halves the start of the command.
    input: { cli: 'src/cli.ts' },
    platform: 'node',
    // Redis is an optional peer, as few need it.
    external: /^(node:|#|@redis\/client$)/,
    moduleTypes: { '.lua': 'text' },
    plugins: [pureFaker(), withoutDescriptions(), shortLines(), licences('cli/licences.txt')],
    output: { dir: 'dist', chunkFileNames: 'cli/[name]-[hash].js', minify },
  },
  page('dashboard', 'src/dashboard/main.tsx', [plainStacks(), licences('dashboard-licences.txt')]),
  page('device-link', 'src/dashboard/device-link/main.ts'),
])

/** A page in one file with its script and its style, so that a mock has no other files to serve. */
function page(name: string, script: string, plugins: Plugin[] = []): RolldownOptions {
  return {
    ...strict,
    input: { [name]: script },
    platform: 'browser',
    plugins: [inlinedPage(dirname(script)), ...plugins],
    output: { dir: 'dist', format: 'iife', minify: true, comments: false },
  }
}

/** The tokens of all pages. */
const tokens = join('src', 'dashboard', 'styles', '0-tokens.css')

/** Replaces the script by a page that contains it, with the styles of the folder in the order of their names. */
function inlinedPage(folder: string): Plugin {
  return {
    name: 'inlined-page',
    async generateBundle(_, bundle) {
      const script = Object.values(bundle).find((file): file is OutputChunk => file.type === 'chunk')
      if (!script) throw new Error(`${folder} has no script`)
      delete bundle[script.fileName]
      const styles = readdirSync(join(folder, 'styles')).map(file => join(folder, 'styles', file))
      const style = [...new Set([tokens, ...styles.sort()])]
        .map(file => readFileSync(file, 'utf8').replaceAll(/\n\s*/g, ''))
        .join('')
        // The comments, and the spaces and semicolons that need not be.
        .replaceAll(/\/\*.*?\*\//g, '')
        .replaceAll(/(?<=[:,>]) | (?=[{>])|;(?=\})/g, '')
      // Functions, because a replacement text may not contain `$&`.
      const source = readFileSync(join(folder, 'page.html'), 'utf8')
        .replace('/* style */', () => style)
        .replace('/* script */', () => script.code.trim().replaceAll('</script', '<\\/script'))
      // Compressed, because it is a third of the size, and few people open it. Zopfli makes a gzip file 5 % smaller than zlib.
      const compressed = await gzipAsync(Buffer.from(source), { numiterations: 15 })
      const base64 = Buffer.from(compressed).toString('base64')
      this.emitFile({ type: 'asset', fileName: `${script.name}.cjs`, source: `module.exports = '${base64}'\n` })
    },
  }
}

/** Writes the licences of all bundled libraries to one file, as these licences demand. */
function licences(fileName: string): Plugin {
  return {
    name: 'licences',
    generateBundle() {
      const folders = [...this.getModuleIds()].map(id => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0])
      const texts = [...new Set(folders)].sort().map(folder => (folder === undefined ? '' : licenceIn(folder)))
      this.emitFile({ type: 'asset', fileName, source: texts.join('') })
    },
  }
}

function licenceIn(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find(entry => /^licen[cs]e/i.test(entry))
  const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8')
  return `== ${name} ${version}, ${license}\n\n${text.trim()}\n\n`
}
