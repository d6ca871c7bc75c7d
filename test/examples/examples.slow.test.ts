import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, describe, type ExpectStatic, expect, it } from 'vitest'
import { type ExampleProject, installExamples, packPackage, type Versions } from '../support/example-projects.js'

/** What CI installs: the newest versions. The checkout itself has older ones of Node and MSW. */
const installs: readonly { readonly examples: readonly string[]; readonly versions: Versions }[] = [
  {
    examples: ['godot', 'jest', 'node', 'phaser', 'playwright', 'storybook', 'vite', 'vitest'],
    versions: {
      node: 24,
      packages: { '@playwright/test': '1', jest: '30', msw: '3', storybook: '10', vite: '8', vitest: '4' },
    },
  },
  // Next.js takes its own folder for the root of all modules.
  { examples: ['next'], versions: { node: 24, packages: { msw: '3', next: '16' } } },
]
const inCi = installs.flatMap(({ examples }) => examples)

/** The versions that each example runs with, alone, in `npm run test:all`. */
const matrix: Readonly<Record<string, readonly [Versions, ...Versions[]]>> = {
  node: [
    { node: 24, packages: { msw: '3' } },
    { node: 20, packages: { msw: '2' } },
    { node: 24, packages: { msw: '2' } },
  ],
  godot: [
    { node: 20, packages: {} },
    { node: 24, packages: {} },
  ],
  jest: [
    { node: 20, packages: { jest: '30', msw: '2' } },
    { node: 22, packages: { jest: '30', msw: '3' } },
    { node: 24, packages: { jest: '30', msw: '2' } },
    { node: 24, packages: { jest: '30', msw: '3' } },
  ],
  next: [
    { node: 24, packages: { next: '16', msw: '3' } },
    { node: 20, packages: { next: '15', msw: '2' } },
  ],
  phaser: [
    { node: 24, packages: { vite: '8', vitest: '4', msw: '2' } },
    { node: 20, packages: { vite: '7', vitest: '4', msw: '2' } },
  ],
  playwright: [
    { node: 24, packages: { '@playwright/test': '1' } },
    { node: 20, packages: { '@playwright/test': '1' } },
  ],
  storybook: [
    { node: 24, packages: { storybook: '10', vite: '8', msw: '2' } },
    { node: 20, packages: { storybook: '9', vite: '7', '@vitejs/plugin-react': '5', msw: '2' } },
    { node: 24, packages: { storybook: '10', vite: '8', msw: '3' } },
  ],
  vitest: [
    { node: 24, packages: { vitest: '5', msw: '3' } },
    { node: 20, packages: { vitest: '4', msw: '2' } },
    { node: 24, packages: { vitest: '4', msw: '3' } },
    { node: 24, packages: { vitest: '5', msw: '2' } },
  ],
  vite: [
    { node: 20, packages: { vite: '6', msw: '2' } },
    { node: 24, packages: { vite: '7', msw: '3' } },
    { node: 24, packages: { vite: '8', msw: '3' } },
  ],
}

const runs = Object.entries(matrix).flatMap(([example, all]) => all.map(versions => ({ example, versions })))

/** Sentences of test runners about timers, sockets and workers that keep a process alive. */
const leaks = /did not exit|failed to exit|open handle|close timed out|something prevents|MaxListenersExceeded/i

/** The requests that a failed test shows. The script `test:failing` of an example has such a test. */
const report = /The requests to the mock, the oldest first:\s+(?:GET|POST) \/\S+ → 200 \([\d.]+ m?s\)/g

/** The number of tests of the script `test:failing`, where it is not 1. */
const failingTests: Readonly<Record<string, number>> = { jest: 4 }

/** What CI runs instead of all tests of an example: the mock inside its tool. Other tests prove the rest. */
const inCiAlone: Readonly<Record<string, string>> = process.env.CI
  ? {
      next: 'node --test test/in-process.test.js',
      storybook: 'npm run build && node --test test/stories.test.js',
    }
  : {}

const scripts = ['test', 'test:edge-cases']

function titleOf({ node, packages }: Versions): string {
  return [`Node ${node}`, ...Object.entries(packages).map(([name, version]) => `${name} ${version}`)].join(', ')
}

/** Runs the tests of an installed example, and those that must fail. */
async function checkExample(name: string, project: ExampleProject | undefined, expect: ExpectStatic): Promise<void> {
  if (!project) throw new Error(`the example ${name} is not installed`)
  const alone = inCiAlone[name]
  const commands = scripts.flatMap(script => (script in project.scripts ? [`npm run ${script}`] : []))
  for (const command of alone === undefined ? commands : [alone]) {
    const { code, output, left } = await project.run('bash', '-c', command)

    expect(code, output).toBe(0)
    expect(left, output).toEqual([])
    expect(output).not.toMatch(leaks)
  }
  if (!('test:failing' in project.scripts)) return

  const failing = await project.run('npm', 'run', 'test:failing')

  expect(failing.code, failing.output).not.toBe(0)
  expect(failing.output.match(report)?.length, failing.output).toBeGreaterThanOrEqual(failingTests[name] ?? 1)
  expect(failing.left, failing.output).toEqual([])
}

describe('the examples', () => {
  let packed: Awaited<ReturnType<typeof packPackage>>
  beforeAll(async () => {
    packed = await packPackage()
  })
  afterAll(() => packed.remove(), 600_000)

  it('all run in CI, and have a row in the matrix', () => {
    const folders = readdirSync('examples').sort()

    expect([Object.keys(matrix).sort(), inCi.sort()]).toEqual([folders, folders])
  })

  describe('in CI', () => {
    let projects: Record<string, ExampleProject>
    beforeAll(async () => {
      const installing = installs.map(({ examples, versions }) =>
        installExamples(examples, { packed: packed.folder, versions }),
      )
      projects = Object.assign({}, ...(await Promise.all(installing)))
    }, 600_000)

    it.concurrent.for(inCi)(
      '%s: npm test passes, and leaves nothing behind, with the newest versions',
      (example, { expect }) => checkExample(example, projects[example], expect),
    )
  })

  for (const { example, versions } of runs)
    it.concurrent(`${example}: npm test passes, and leaves nothing behind, with ${titleOf(versions)}`, {
      tags: ['matrix'],
    }, async ({ expect }) => {
      const projects = await installExamples([example], { packed: packed.folder, versions })
      await checkExample(example, projects[example], expect)
    })
})
