import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'

const isolated = ['test/**/*.isolated.test.ts']
const slow = ['test/**/*.slow.test.ts', 'site/*.slow.test.ts']
/** Property tests against a model. They run a few times among the fast tests, and many times among the slow ones. CI runs only the first. */
const models = process.env.CI ? [] : ['test/**/*.model.test.ts']
const [fastRuns, slowRuns] = process.env.CI ? [6, 15] : [30, 3000]

declare module 'vitest' {
  interface ProvidedContext {
    /** The number of runs of a long property test. */
    runs: number
  }
}

/** The data library's own tests, run against our tables. */
const library = {
  extends: true as const,
  resolve: {
    alias: ['collection', 'query', 'index'].map(name => ({
      find: `#/src/${name}.js`,
      replacement: resolve('test/core/store/library-collection.ts'),
    })),
  },
  test: {
    name: 'library',
    globals: true,
    isolate: false,
    maxWorkers: 1,
    sequence: { groupOrder: 1 },
    include: [
      'node_modules/@mswjs/data/tests/{query*,find-*,create-many,update*,delete*,sort,pagination-*,count,clear,nullable}.test.ts',
    ],
    exclude: [],
    setupFiles: ['test/core/store/library-exceptions.ts'],
    server: { deps: { inline: [/@mswjs\/data\/tests/] } },
  },
}

/** As `moduleTypes` of the build. */
export const lua = {
  name: 'lua',
  transform: (code: string, id: string) => (id.endsWith('.lua') ? `export default ${JSON.stringify(code)}` : undefined),
}

/**
 * `@fast-check/vitest` makes each order of `it.only.skip.concurrent` and the others when it is imported, which takes 2 s in each worker.
 * These are those of one word, as `it.only.prop`.
 */
const shortChains = {
  name: 'short-chains',
  transform(code: string, id: string) {
    if (!id.includes('/@fast-check/vitest/')) return
    const short = code.replace('!ancestors.has(key)', 'ancestors.size < 2 && !ancestors.has(key)')
    if (short === code) throw new Error(`the library makes its chains in another way: ${id}`)
    return short
  },
}

export default defineConfig({
  plugins: [lua, shortChains],
  test: {
    // By default vitest leaves one core idle. On two cores that takes almost twice as long.
    maxWorkers: '100%',
    // In CI, the slow tests and the examples find the modules as the fast tests have compiled them.
    experimental: { fsModuleCache: Boolean(process.env.CI) },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A busy machine needs time for a process, a socket or a page.
    expect: { poll: { timeout: 30_000 } },
    setupFiles: ['test/support/restore-fakes.ts'],
    server: { deps: { inline: ['@fast-check/vitest'] } },
    // npm and the runners of two examples at once keep two cores busy.
    maxConcurrency: 2,
    tags: [
      { name: 'slow', description: 'Tests of a fast file that take more than a second, or start a process.' },
      {
        name: 'matrix',
        description: 'What CI leaves out: other versions of examples, and crowds of pages, players or lobbies.',
      },
    ],
    projects: [
      // No module keeps state between tests, so the files of a worker share all modules.
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts', 'site/*.test.ts'],
          exclude: [...isolated, ...slow],
          isolate: false,
          provide: { runs: fastRuns },
        },
      },
      // These files count all timers of their process, and leave none. One worker, because each imports all of src.
      {
        extends: true,
        test: { name: 'isolated', include: isolated, isolate: false, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
      // Long property tests, soaks, browsers and engines.
      {
        extends: true,
        test: {
          name: 'slow',
          include: [...slow, ...models],
          isolate: false,
          testTimeout: 600_000,
          expect: { poll: { timeout: 120_000 } },
          provide: { runs: slowRuns },
        },
      },
      library,
    ],
  },
})
