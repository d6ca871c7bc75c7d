import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join } from 'node:path'
import { gzipAsync, zlibAsync } from '@gfx/zopfli'
import { defineConfig, type OutputChunk, type Plugin, type RolldownOptions } from 'rolldown'
import { minifySync, transformSync } from 'rolldown/utils'
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
  page('dashboard', 'src/dashboard/served.ts', [plainStacks(), licences('dashboard-licences.txt')]),
  page('device-link', 'src/dashboard/device-link/main.ts'),
  {
    ...pageOptions('capsule', 'src/dashboard/capsule/main.ts'),
    plugins: [
      ...[capsulePage('src/dashboard/capsule'), pureFaker(), noEvalInPages(), withoutDescriptions('all')],
      licences('capsule-licences.txt'),
    ],
  },
])

/** A page in one file with its script and its style, so that a mock has no other files to serve. */
function page(name: string, script: string, plugins: Plugin[] = []): RolldownOptions {
  return { ...pageOptions(name, script), plugins: [inlinedPage(dirname(script)), ...plugins] }
}

function pageOptions(name: string, script: string): RolldownOptions {
  return {
    ...strict,
    input: { [name]: script },
    platform: 'browser',
    // package.json says that no module does anything by itself. The entries import some that do.
    treeshake: { moduleSideEffects: id => /\/src\/dashboard\/(main|capsule\/(copy|parts))\./.test(id) || undefined },
    output: { dir: 'dist', format: 'iife', minify: true, comments: false },
  }
}

/** The styles of a page: those of its folders, in the order of their names. The tokens come first. */
function styleOf(...folders: string[]): string {
  const files = folders.flatMap(folder => {
    const styles = join(folder, 'styles')
    return readdirSync(styles)
      .map(file => join(styles, file))
      .sort()
  })
  return (
    [...new Set([join('src', 'dashboard', 'styles', '0-tokens.css'), ...files])]
      .map(file => readFileSync(file, 'utf8').replaceAll(/\n\s*/g, ''))
      .join('')
      // The comments, and the spaces and semicolons that need not be.
      .replaceAll(/\/\*.*?\*\//g, '')
      .replaceAll(/(?<=[:,>]) | (?=[{>])|;(?=\})/g, '')
  )
}

/** Replaces the script by a page that contains it, with the styles of the folder. */
function inlinedPage(folder: string): Plugin {
  return pageOf(folder, script => ({
    style: styleOf(folder),
    script: script.trim().replaceAll('</script', '<\\/script'),
  }))
}

/**
 * Replaces the script by the page of a copy. It contains style and script deflated, and `boot.ts`, which inflates them. The page may do nothing
 * but what these two scripts and the style do: a policy with their hashes says so.
 */
function capsulePage(folder: string): Plugin {
  return pageOf(folder, async script => {
    const app = script.trim()
    const boot = minifySync('boot.js', transformSync('boot.ts', readFileSync(join(folder, 'boot.ts'), 'utf8')).code, {
      mangle: true,
    }).code.trim()
    const style = styleOf(dirname(folder), folder)
    const policy = [
      "default-src 'none'",
      `style-src ${hashOf(style)}`,
      `script-src ${hashOf(boot)} ${hashOf(app)}`,
      'img-src data:',
      "base-uri 'none'",
      "form-action 'none'",
      "require-trusted-types-for 'script'",
      'trusted-types mockmaker',
    ]
    const deflated = await Promise.all([style, app].map(text => zlibAsync(Buffer.from(text), { numiterations: 5 })))
    const [inStyle = Buffer.alloc(0), inApp = Buffer.alloc(0)] = deflated.map(bytes => Buffer.from(bytes))
    return { policy: policy.join('; '), style: inStyle.toString('base64'), app: toBase85(inApp), script: boot }
  })
}

/** Writes bytes in base 85, as `boot.ts` reads them. The last group may be shorter. */
function toBase85(bytes: Buffer): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 4) {
    const part = Buffer.alloc(4)
    bytes.copy(part, 0, at, at + 4)
    let group = part.readUInt32BE()
    let letters = ''
    for (let i = 0; i < 5; i++) {
      const digit = group % 85
      letters = String.fromCharCode(digit + (digit < 20 ? 40 : 41)) + letters
      group = Math.floor(group / 85)
    }
    text += letters.slice(0, Math.min(4, bytes.length - at) + 1)
  }
  return text
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

/** Replaces the script by the page of a folder, in which `parts` replaces comments such as `/* style *\/`. */
function pageOf(
  folder: string,
  partsOf: (script: string) => Record<string, string> | Promise<Record<string, string>>,
): Plugin {
  return {
    name: 'page',
    async generateBundle(_, bundle) {
      const script = Object.values(bundle).find((file): file is OutputChunk => file.type === 'chunk')
      if (!script) throw new Error(`${folder} has no script`)
      delete bundle[script.fileName]
      let source = readFileSync(join(folder, 'page.html'), 'utf8')
      // Functions, because a replacement text may not contain `$&`.
      for (const [name, text] of Object.entries(await partsOf(script.code)))
        source = source.replace(`/* ${name} */`, () => text)
      // Compressed, because it is a third of the size, and few people open it. Zopfli makes a gzip file 5 % smaller than zlib.
      const compressed = await gzipAsync(Buffer.from(source), { numiterations: 5 })
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
