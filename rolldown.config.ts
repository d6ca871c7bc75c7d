import { defineConfig } from 'rolldown'

const builtin = /^node:/
const bare = /^[^./]/

export default defineConfig([
  {
    input: {
      index: 'src/index.ts',
      node: 'src/node.ts',
      browser: 'src/browser.ts',
      express: 'src/express.ts',
      scenarios: 'src/scenarios.ts',
      contract: 'src/contract.ts',
    },
    external: bare,
    output: { dir: 'dist', chunkFileNames: 'chunks/[name]-[hash].js', sourcemap: true },
  },
  {
    // The command is one bundle with its libraries, because it starts in half the time; the fake data is loaded when used.
    input: { cli: 'src/cli.ts' },
    platform: 'node',
    external: [builtin, /^@faker-js\//],
    output: { dir: 'dist', chunkFileNames: 'cli/[name]-[hash].js', sourcemap: false, minify: true },
  },
])
