import { readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { defineConfig, type InputOptions, type OutputChunk, type Plugin } from 'rolldown'

/** Users install the peers themselves. All other libraries are in the bundles: one file loads faster than hundreds. */
const peers = Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).peerDependencies)
const external = new RegExp(`^(node:|(${[...peers, '@jest/globals'].join('|')})(/|$))`)

/** A warning fails the build. Otherwise the output of the tests would hide it. */
const strict = {
  onLog: (level, log, handle) => handle(level === 'warn' ? 'error' : level, log),
  // A busy machine is no reason for a warning.
  checks: { bundlerTimings: false },
} satisfies InputOptions

export default defineConfig([
  {
    ...strict,
    input: {
      index: 'src/index.ts',
      node: 'src/msw/node.ts',
      browser: 'src/msw/browser.ts',
      express: 'src/http/index.ts',
      'in-browser': 'src/msw/in-browser.ts',
      'on-server': 'src/msw/on-server.ts',
      vitest: 'src/vitest/index.ts',
      'vitest-in-page': 'src/vitest/in-page.ts',
      client: 'src/client/index.ts',
      playwright: 'src/playwright/index.ts',
      scenarios: 'src/scenario/index.ts',
      contract: 'src/contract/index.ts',
      storybook: 'src/storybook/index.ts',
      'storybook-preview': 'src/storybook/preview.ts',
      'storybook-preset': 'src/storybook/preset.ts',
      vite: 'src/vite/index.ts',
      'jest-preset': 'src/jest/index.ts',
      // The preset names these files.
      'jest-globals': 'src/jest/globals.ts',
      'jest-setup': 'src/jest/setup.ts',
      arbitraries: 'src/arbitraries/index.ts',
    },
    external,
    plugins: [ownExpress(), licences('chunks/licences.txt')],
    output: { dir: 'dist', chunkFileNames: 'chunks/[name]-[hash].js', sourcemap: 'hidden' },
  },
  {
    ...strict,
    // By itself, because almost all of it is a library.
    input: { 'jest-transform': 'src/jest/transform.ts' },
    external,
    plugins: [licences('jest-transform-licences.txt')],
    output: { dir: 'dist', minify: { compress: true, mangle: false } },
  },
  {
    ...strict,
    // By itself, because Express needs the modules of Node, which no chunk for browsers may import.
    input: { 'express-library': 'express' },
    platform: 'node',
    external: isBuiltin,
    plugins: [licences('express-licences.txt')],
    // Shorter, with all names as they are.
    output: { dir: 'dist', minify: { compress: true, mangle: false } },
  },
  {
    ...strict,
    // By itself, because most processes do not load it.
    input: { 'yaml-library': 'yaml' },
    platform: 'node',
    external: isBuiltin,
    plugins: [licences('yaml-licences.txt')],
    output: { dir: 'dist', format: 'cjs', entryFileNames: '[name].cjs', minify: { compress: true, mangle: false } },
  },
  {
    ...strict,
    // One bundle with all libraries halves the start of the command.
    input: { cli: 'src/cli.ts' },
    platform: 'node',
    external: /^node:/,
    plugins: [licences('cli/licences.txt')],
    output: { dir: 'dist', chunkFileNames: 'cli/[name]-[hash].js', minify: { compress: true, mangle: false } },
  },
  {
    ...strict,
    // One file with its script and its style, so that a mock has no other files to serve.
    input: { dashboard: 'src/dashboard/main.tsx' },
    platform: 'browser',
    plugins: [inlinedPage('src/dashboard'), licences('dashboard-licences.txt')],
    output: { dir: 'dist', format: 'iife', minify: true, comments: false },
  },
])

/** Imports Express from its bundle. */
function ownExpress(): Plugin {
  return {
    name: 'own-express',
    resolveId: id => (id === 'express' ? { id: './express-library.js', external: true } : null),
  }
}

/** Replaces the script by a page that contains it, with the styles of the folder in the order of their names. */
function inlinedPage(folder: string): Plugin {
  return {
    name: 'inlined-page',
    generateBundle(_, bundle) {
      const { fileName, code } = Object.values(bundle).find((file): file is OutputChunk => file.type === 'chunk') ?? {
        fileName: '',
        code: '',
      }
      delete bundle[fileName]
      const styles = readdirSync(join(folder, 'styles')).sort()
      const style = styles
        .map(file => readFileSync(join(folder, 'styles', file), 'utf8').replaceAll(/\n\s*/g, ''))
        .join('')
      // Functions, because a replacement text may not contain `$&`.
      const source = readFileSync(join(folder, 'page.html'), 'utf8')
        .replace('/* style */', () => style)
        .replace('/* script */', () => code.trim().replaceAll('</script', '<\\/script'))
      // Compressed, because it is a third of the size, and few people open it.
      this.emitFile({ type: 'asset', fileName: 'dashboard.html.gz', source: gzipSync(source, { level: 9 }) })
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
