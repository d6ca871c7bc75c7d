import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, type Plugin } from 'rolldown'

/** What a user has beside us, or what is loaded only when it is used. All other libraries are in the bundles: one file loads faster than hundreds. */
const outside = /^(node:|msw\/|express$|@faker-js\/)/

export default defineConfig([
  {
    input: {
      index: 'src/index.ts',
      node: 'src/node.ts',
      browser: 'src/browser.ts',
      express: 'src/express.ts',
      client: 'src/client.ts',
      scenarios: 'src/scenarios.ts',
      contract: 'src/contract.ts',
      msw: 'src/node/msw.ts',
    },
    external: outside,
    plugins: [slimMsw(), licences('chunks/licences.txt')],
    output: { dir: 'dist', chunkFileNames: 'chunks/[name]-[hash].js', sourcemap: true },
  },
  {
    // The command is one bundle with its libraries, because it starts in half the time; the fake data is loaded when used.
    input: { cli: 'src/cli.ts' },
    platform: 'node',
    external: [/^node:/, /^@faker-js\//],
    plugins: [licences('cli/licences.txt')],
    output: { dir: 'dist', chunkFileNames: 'cli/[name]-[hash].js' },
  },
])

/** MSW stays outside. What imports it at once gets `#msw`: package.json § imports has it that, in Node, this is only the part that is used. */
function slimMsw(): Plugin {
  return {
    name: 'slim-msw',
    resolveId(id, _, { kind }) {
      if (id !== 'msw') return undefined
      return { id: kind === 'import-statement' ? '#msw' : 'msw', external: true }
    },
  }
}

/** Writes the licences of all libraries in a bundle beside it, as they ask. */
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
