import { readdirSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.test.ts'))
  .map(file => `test/${file.replaceAll('\\', '/')}`)

/** Long property tests and soaks: `npm run test:all` runs them, `npm test` does not. */
const slow = files.filter(file => file.endsWith('.slow.test.ts'))

/** Files that fake the time or spy on globals: each needs a worker of its own. */
const alone = files
  .filter(file => !slow.includes(file))
  .filter(file => /\bvi\.(useFakeTimers|spyOn|stub)/.test(readFileSync(file, 'utf8')))

export default defineConfig({
  test: {
    // By default one core stays idle, which of two is half of the time.
    maxWorkers: '100%',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What a busy machine is waited for: a process, a socket, a page.
    expect: { poll: { timeout: 30_000 } },
    projects: [
      { extends: true, test: { name: 'alone', include: alone } },
      // No module of ours keeps state that a test could see, so these files share what a worker has loaded.
      {
        extends: true,
        test: { name: 'together', include: ['test/**/*.test.ts'], exclude: [...alone, ...slow], isolate: false },
      },
      { extends: true, test: { name: 'slow', include: slow } },
    ],
  },
})
