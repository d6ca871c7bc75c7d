import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import manifest from '../../package.json' with { type: 'json' }
import { createClient } from '../../src/client/index.js'
import { it as base, executablePath } from '../support/chromium.js'
import { folder, type OpenCommand, openCommand, serveJson } from '../support/command.js'
import { blockOf, blocksWith, exampleFileOf, type Page, pageAt, pages, programsOf } from '../support/docs.js'
import { serveListener } from '../support/http.js'
import { createProject, type Project } from '../support/project.js'
import { matchesShown, sessionsOf } from './shell-blocks.js'

/** Returns the files of a page, by their paths. */
function filesOf(page: Page, { url }: Pick<OpenCommand, 'url'>): Record<string, string> {
  const named = Object.entries(programsOf(page)).map(([file, text]) => [file, withUrl(text, { url })])
  return Object.fromEntries([['package.json', '{ "type": "module" }'], ...named])
}

/** The URL of the mock in the docs. */
const urlInDocs = { url: 'http://127.0.0.1:4100' }

/** Replaces the URL of the docs with that of the test's server. */
const withUrl = (text: string, { url }: Pick<OpenCommand, 'url'>) => text.replaceAll(urlInDocs.url, url)

/** Returns the folder of a page in a project with the files of all pages. */
const folderOf = ({ path }: Page) => path.replace(/\.md$/, '').replaceAll('/', '-')

/** The pages whose files run here. The files of the others are those of an example, which runs with the packed package. */
const ownPages = pages.filter(page => !page.blocks.some(block => exampleFileOf(page, block)))
const ownBlocks = blocksWith('ts').filter(({ page }) => ownPages.includes(page))

const it = base.extend<{ shared: OpenCommand; project: Project; compiled: readonly string[] }>({
  shared: [
    // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern
    async ({}, use) => {
      const server = await openCommand()
      await use(server)
      await server.end()
    },
    { scope: 'file' },
  ],
  project: [
    // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern
    async ({}, use) => {
      const sources = ownPages.flatMap(page =>
        Object.entries(filesOf(page, urlInDocs)).map(([file, text]) => [`${folderOf(page)}/${file}`, text]),
      )
      const project = await createProject({
        'package.json': '{}',
        ...Object.fromEntries(sources),
        ...declarations(),
        'shown.ts': shown,
      })
      await use(project)
      project.remove()
    },
    { scope: 'file' },
  ],
  compiled: [async ({ project }, use) => use(await compile(project)), { scope: 'file' }],
})

/** Returns the declarations of the package as sources, and a program that imports every entry point. */
function declarations(): Record<string, string> {
  const files = readdirSync('dist', { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.d.ts'))
  const sources = files.map(file => [
    `types/${file.replace(/\.d\.ts$/, '.ts')}`,
    readFileSync(join('dist', file), 'utf8'),
  ])
  const entries = Object.keys(manifest.exports).filter(entry => !entry.endsWith('.json'))
  // Our declarations only augment the last one.
  const modules = [...entries.map(entry => entry.replace('.', 'mockmaker')), '@jest/expect']
  const imports = modules.map(module => `export type {} from '${module}'`)
  return {
    ...Object.fromEntries(sources),
    'types/package.json': '{ "type": "module" }',
    'entries.ts': imports.join('\n'),
  }
}

/** Compiles the code of the docs, the declarations of the package and `shown.ts` at once. Returns the errors. */
async function compile(project: Project): Promise<readonly string[]> {
  for (const name of ['@jest/expect', 'storybook', 'vite']) {
    mkdirSync(dirname(join(project.folder, 'node_modules', name)), { recursive: true })
    symlinkSync(resolve('node_modules', name), join(project.folder, 'node_modules', name))
  }
  const pagesOfCode = ownBlocks.map(({ page, block }) => `${folderOf(page)}/${block.file}`)
  const sources = [...pagesOfCode, ...Object.keys(declarations()).filter(file => file.endsWith('.ts')), 'shown.ts']
  const options = '--noEmit --strict --target es2023 --lib es2023,dom,dom.iterable --module nodenext --skipLibCheck'
  const tsc = `${process.cwd()}/node_modules/typescript/bin/tsc`
  // It fails, because `shown.ts` does.
  const printed = await project
    .run(process.execPath, [tsc, ...options.split(' '), ...sources])
    .catch(({ message }: Error) => message)
  return printed.split('\n').filter(line => line.includes(': error TS'))
}

/** A program whose errors show types. */
const shown = [
  "import { createMockmaker } from 'mockmaker'",
  'const { world, journal, history } = createMockmaker()',
  ...[
    "world.lobbies.get('a')",
    'world.players.all()',
    'journal.find()',
    'createMockmaker',
    "history().change_sets.flatMap(set => set.changes.map(c => c.table === 'lobbies' && c.after))",
  ].map((question, i) => `const a${i}: 1 = ${question}`),
].join('\n')

/** Separates the outputs of blocks: the ASCII record separator. */
const separator = '\u001e'

const sessions = pages.flatMap(sessionsOf)
type Session = (typeof sessions)[number]

let worldsMade = 0

/** Creates a world of a server, and returns its URL. */
async function newWorld({ url }: Pick<OpenCommand, 'url'>): Promise<Pick<OpenCommand, 'url'>> {
  const id = `session-${++worldsMade}`
  await createClient(url).worlds.put(id)
  return { url: `${url}/w/${id}` }
}

/** Tells whether a session needs more than a world: arguments, or paths that a world does not have. */
const needsOwnServer = ({ args, steps }: Pick<Session, 'args' | 'steps'>) =>
  args.length > 0 || steps.some(({ commands }) => /\/w\/|\/worlds\//.test(commands))

describe('the docs', () => {
  it.for(sessions.map(session => [session.page.path, session.args.join(' '), session] as const))(
    '%s has commands that work, served with: %s',
    async ([path, , { page, args, steps }], { shared }) => {
      const project = await createProject(filesOf(page, urlInDocs))
      const own = needsOwnServer({ args, steps }) ? await openCommand(args, { cwd: project.folder }) : undefined
      try {
        const server = own ?? (await newWorld(shared))
        for (const [file, text] of Object.entries(filesOf(page, server)))
          writeFileSync(join(project.folder, file), text)
        const commands = steps.map(step => withUrl(step.commands, server)).join(`\nprintf '${separator}'\n`)
        const printed = await project.run('bash', ['-c', `set -eo pipefail\n${commands}`])
        const outputs = printed.split(separator)

        expect(outputs.length, path).toBe(Math.max(steps.length, 1))
        const { warnings } = createClient(server.url)
        expect(await warnings.list().catch(() => []), path).toEqual([])
        for (const [at, { commands, shown }] of steps.entries()) {
          const output = outputs[at] ?? ''
          if (shown === undefined) expect(output, commands).not.toContain('"code":"')
          else expect(matchesShown(output, withUrl(shown, server)), `${commands}\nprinted:\n${output}`).toBe(true)
        }
      } finally {
        await own?.end()
        project.remove()
      }
    },
  )

  it('have tests that pass', async ({ project }) => {
    const vitest = `${process.cwd()}/node_modules/vitest/vitest.mjs`
    const tests = ownBlocks.filter(({ block }) => block.file?.endsWith('.test.ts'))
    // A busy machine needs more than the 5 s of a single test. Files that share their modules and a worker import MSW once.
    const options = ['--testTimeout', '60000', '--no-isolate', '--maxWorkers', '1']

    const printed = await project.run(process.execPath, [vitest, 'run', '--root', project.folder, ...options])

    expect(stripVTControlCharacters(printed)).toMatch(new RegExp(`Test Files +${tests.length} passed`))
  })

  it('have code that compiles in strict mode', ({ compiled }) => {
    expect(compiled.filter(line => !/^(?:types|entries|shown)\b/.test(line))).toEqual([])
  })

  it('have a workflow for CI whose steps work', async ({ project }) => {
    const workflow = blocksWith('yaml').find(({ block }) => block.file?.startsWith('.github/'))
    const { jobs } = parse(workflow?.block.text ?? '') as { jobs: { test: { steps: { run?: string }[] } } }
    const commands = jobs.test.steps.flatMap(({ run }) => (run?.startsWith('npx mockmaker') ? [run.trim()] : []))

    expect(commands.length).toBeGreaterThan(0)
    // Takes the place of the project's tests.
    const scripts = {
      test: 'node -e "fetch(process.env.MOCKMAKER_URL + \'/__mock/health\').then(r => process.exit(r.ok ? 0 : 1))"',
    }
    writeFileSync(join(project.folder, 'package.json'), JSON.stringify({ scripts }))
    for (const command of commands) await project.run('bash', ['-c', command])
  })

  // Browser tests are slow on a busy machine.
  it('have tests with Playwright that pass', async ({ project, shared }) => {
    const launch = { executablePath, args: ['--no-sandbox'] }
    const config = { testDir: 'e2e', testMatch: '**/*.e2e.ts', use: { launchOptions: launch } }
    const page = pageAt('docs/guides/playwright.md')
    const folder = join(project.folder, folderOf(page))
    for (const [file, text] of Object.entries(filesOf(page, shared)))
      if (file.startsWith('e2e/')) writeFileSync(join(folder, file), text)
    writeFileSync(join(folder, 'playwright.config.mjs'), `export default ${JSON.stringify(config)}`)
    const { worlds } = createClient(shared.url)
    const idsOfWorlds = async () => (await worlds.list()).map(({ id }) => id)
    const before = await idsOfWorlds()

    const printed = await project.run('node_modules/@playwright/test/cli.js', ['test', '--config', folder])

    expect(printed).toContain('4 passed')
    expect(await idsOfWorlds()).toEqual(before)
  })
})

describe('the browser game', () => {
  it('shows its players to each other, and reports them', async ({ browser }) => {
    const page = pageAt('docs/reference/browser-game.md')
    const mock = await serveJson(['arena.yaml'], { cwd: await folder(programsOf(page)) })
    const html = withUrl(blockOf(page.path, 'arena.html').text, mock)
    const site = await serveListener((_, response) => response.setHeader('content-type', 'text/html').end(html))
    onTestFinished(async () => void (await site.close()))
    const context = await browser.newContext()
    onTestFinished(() => context.close())
    const windows = [await context.newPage(), await context.newPage()] as const
    for (const window of windows) await window.goto(site.url)
    const dotsOf = (window: (typeof windows)[number]) =>
      window.locator('i').evaluateAll(dots => dots.map(({ style }) => style.left).sort())

    for (const [at, window] of windows.entries()) {
      await window.getByText('Move the pointer. Your lobby is in ').waitFor()
      await window.mouse.move(100 + at, 50)
    }

    for (const window of windows) await expect.poll(() => dotsOf(window)).toEqual(['100px', '101px'])
    await windows[0].close()
    await expect.poll(() => dotsOf(windows[1])).toEqual(['101px'])
    const client = createClient(mock.url)
    await expect.poll(async () => (await client.journal.find({ operation: 'players.disconnected' })).length).toBe(1)
    expect((await client.world.players.all()).map(({ status }) => status).sort()).toEqual(['connected', 'removed'])
    expect(await client.warnings.list()).toEqual([])
  })
})

describe('the declarations of the package', () => {
  // `.ci/package` also checks the declarations of MSW and Express beside ours, and the module resolution of bundlers.
  it('compile with their libraries', ({ compiled }) => {
    expect(compiled.filter(line => /^(?:types|entries)\b/.test(line))).toEqual([])
  })

  it('show rows, entries and options by their names', ({ compiled }) => {
    const types = compiled.flatMap(
      line => /^shown\.ts.*: Type '(.*)' is not assignable to type '1'/.exec(line)?.[1] ?? [],
    )

    expect(types).toEqual([
      'LobbyRow | undefined',
      'PlayerRow[]',
      'JournalEntry[]',
      '(options?: MockmakerOptions | undefined) => Mockmaker',
      '(false | LobbyRow | undefined)[]',
    ])
  })
})
