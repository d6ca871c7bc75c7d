import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { it as base, describe, expect } from 'vitest'
import { parse } from 'yaml'
import manifest from '../../package.json' with { type: 'json' }
import { createClient } from '../../src/client/index.js'
import { executablePath } from '../support/chromium.js'
import { type OpenCommand, openCommand } from '../support/command.js'
import { blocksWith, isOfExample, type Page, pageAt, pages } from '../support/docs.js'
import { createProject, type Project } from '../support/project.js'
import { matchesShown, sessionsOf } from './shell-blocks.js'

/** Returns the files of a page, by their paths. */
function filesOf({ blocks }: Page, { url }: Pick<OpenCommand, 'url'>): Record<string, string> {
  const named = blocks.flatMap(({ file, text }) => (file === undefined ? [] : [[file, withUrl(text, { url })]]))
  return Object.fromEntries([['package.json', '{ "type": "module" }'], ...named])
}

/** The URL of the mock in the docs. */
const urlInDocs = { url: 'http://127.0.0.1:4100' }

/** Replaces the URL of the docs with that of the test's server. */
const withUrl = (text: string, { url }: Pick<OpenCommand, 'url'>) => text.replaceAll(urlInDocs.url, url)

/** Returns the folder of a page in a project with the files of all pages. */
const folderOf = ({ path }: Page) => path.replace(/\.md$/, '').replaceAll('/', '-')

/** The pages whose files run here. The files of the others are those of an example, which runs with the packed package. */
const ownPages = pages.filter(page => !page.blocks.some(block => isOfExample(page, block)))
const ownBlocks = blocksWith('ts').filter(({ page }) => ownPages.includes(page))

const it = base.extend<{ project: Project }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern
  project: async ({}, use) => {
    const sources = ownPages.flatMap(page =>
      Object.entries(filesOf(page, urlInDocs)).map(([file, text]) => [`${folderOf(page)}/${file}`, text]),
    )
    const project = await createProject({ 'package.json': '{}', ...Object.fromEntries(sources) })
    await use(project)
    project.remove()
  },
})

/** Separates the outputs of blocks: the ASCII record separator. */
const separator = '\u001e'

const sessions = pages.flatMap(sessionsOf)

describe('the docs', () => {
  it.for(sessions.map(session => [session.page.path, session.args.join(' '), session] as const))(
    '%s has commands that work, served with: %s',
    async ([path, , { page, args, steps }]) => {
      const project = await createProject(filesOf(page, urlInDocs))
      const server = await openCommand(args, { cwd: project.folder })
      try {
        for (const [file, text] of Object.entries(filesOf(page, server)))
          writeFileSync(join(project.folder, file), text)
        const commands = steps.map(step => withUrl(step.commands, server)).join(`\nprintf '${separator}'\n`)
        const printed = await project.run('bash', ['-c', `set -eo pipefail\n${commands}`])
        const outputs = printed.split(separator)

        expect(outputs.length, path).toBe(Math.max(steps.length, 1))
        for (const [at, { commands, shown }] of steps.entries()) {
          const output = outputs[at] ?? ''
          if (shown === undefined) expect(output, commands).not.toContain('"code":"')
          else expect(matchesShown(output, withUrl(shown, server)), `${commands}\nprinted:\n${output}`).toBe(true)
        }
      } finally {
        await server.end()
        project.remove()
      }
    },
  )

  it('have tests that pass', async ({ project }) => {
    const vitest = `${process.cwd()}/node_modules/vitest/vitest.mjs`
    const tests = ownBlocks.filter(({ block }) => block.file?.endsWith('.test.ts'))
    // A busy machine needs more than the 5 s of a single test. Files that share their modules import MSW once.
    const options = ['--testTimeout', '60000', '--no-isolate']

    const printed = await project.run(process.execPath, [vitest, 'run', '--root', project.folder, ...options])

    expect(stripVTControlCharacters(printed)).toMatch(new RegExp(`Test Files +${tests.length} passed`))
  })

  it('have code that compiles in strict mode', async ({ project }) => {
    const tsc = `${process.cwd()}/node_modules/typescript/bin/tsc`
    const sources = ownBlocks.map(({ page, block }) => `${folderOf(page)}/${block.file}`)
    const options = '--noEmit --strict --target es2023 --lib es2023,dom,dom.iterable --module nodenext --skipLibCheck'

    await expect(project.run(process.execPath, [tsc, ...options.split(' '), ...sources])).resolves.toBe('')
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
  it('have tests with Playwright that pass', async ({ project }) => {
    const server = await openCommand()
    try {
      const launch = { executablePath, args: ['--no-sandbox'] }
      const config = { testDir: 'e2e', testMatch: '**/*.e2e.ts', use: { launchOptions: launch } }
      const page = pageAt('docs/guides/playwright.md')
      const folder = join(project.folder, folderOf(page))
      for (const [file, text] of Object.entries(filesOf(page, server)))
        if (file.startsWith('e2e/')) writeFileSync(join(folder, file), text)
      writeFileSync(join(folder, 'playwright.config.mjs'), `export default ${JSON.stringify(config)}`)

      const printed = await project.run('node_modules/@playwright/test/cli.js', ['test', '--config', folder])

      expect(printed).toContain('4 passed')
      const { worlds } = createClient(server.url)
      expect((await worlds.list()).map(({ id }) => id)).toEqual(['default'])
    } finally {
      await server.end()
    }
  })
})

describe('the declarations of the package', () => {
  // `.ci/package` also compiles a program that uses them with the module resolution of bundlers.
  it('compile with their libraries', async ({ project }) => {
    const tsc = `${process.cwd()}/node_modules/typescript/bin/tsc`
    const entries = Object.keys(manifest.exports).filter(entry => !entry.endsWith('.json'))
    writeFileSync(
      join(project.folder, 'entries.ts'),
      entries.map(entry => `export type {} from '${entry.replace('.', 'mockmaker')}'`).join('\n'),
    )
    const options = '--noEmit --strict --module nodenext --skipLibCheck false'

    await expect(project.run(process.execPath, [tsc, ...options.split(' '), 'entries.ts'])).resolves.toBe('')
  })

  it('show rows, entries and options by their names', async ({ project }) => {
    const tsc = `${process.cwd()}/node_modules/typescript/bin/tsc`
    const shown = "import { createMockmaker } from 'mockmaker'\nconst { world, journal, history } = createMockmaker()\n"
    const rowsOfChanges = "history().change_sets.flatMap(set => set.changes.map(c => c.table === 'lobbies' && c.after))"
    const questions = [
      "world.lobbies.get('a')",
      'world.players.all()',
      'journal.find()',
      'createMockmaker',
      rowsOfChanges,
    ]
    writeFileSync(
      join(project.folder, 'shown.ts'),
      shown + questions.map((question, i) => `const a${i}: 1 = ${question}`).join('\n'),
    )

    const compiled = await project
      .run(process.execPath, [tsc, '--noEmit', '--strict', '--module', 'nodenext', '--skipLibCheck', 'shown.ts'])
      .catch((error: Error) => error.message)

    expect([...compiled.matchAll(/: Type '(.*)' is not assignable to type '1'/g)].map(([, type]) => type)).toEqual([
      'LobbyRow | undefined',
      'PlayerRow[]',
      'JournalEntry[]',
      '(options?: MockmakerOptions | undefined) => Mockmaker',
      '(false | LobbyRow | undefined)[]',
    ])
  })
})
