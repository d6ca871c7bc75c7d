import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it as base, describe, expect } from 'vitest'
import { createClient } from '../../src/client.js'
import { createMockmaker } from '../../src/index.js'
import { parseScenario } from '../../src/scenarios.js'
import { LobbyRow } from '../../src/store/lobby-row.js'
import { PlayerRow } from '../../src/store/player-row.js'
import { DeviceLinkRow } from '../../src/store/rows.js'
import { executablePath } from '../support/chromium.js'
import { type OpenCommand, openCommand } from '../support/command.js'
import { type Block, blockOf, blocks, createProject, type Project, readme } from '../support/readme.js'
import { withTable } from './from-table.js'
import { scenarioKeys } from './scenario-keys.js'

/** Commands that need a fresh checkout or project: `.ci/run` and `.ci/package` run them. */
const byCi = ['npm ci && npm start', 'npm ci && npm test', 'npm install --save-dev mockmaker msw']

/** The commands of a block that are run here: not those of `byCi`, nor the one that serves. */
const commands = ({ text }: Block) => {
  const lines = text.split('\n').filter(line => !byCi.includes(line) && line !== 'npx mockmaker')
  return lines.join('\n').trim()
}
const withLanguage = (language: string) => blocks.filter(block => block.language === language)

const it = base.extend<{ project: Project; server: OpenCommand }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern
  project: async ({}, use) => {
    const sources = blocks.filter(block => block.file !== undefined).map(block => [block.file, block.text])
    const project = await createProject({ 'package.json': '{ "type": "module" }', ...Object.fromEntries(sources) })
    await use(project)
    project.remove()
  },
  // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern
  server: async ({}, use) => {
    const server = await openCommand()
    await use(server)
    await server.end()
  },
})

/** A text of README.md, with the port that the server of the test has. */
const there = (text: string, { url }: OpenCommand) => text.replaceAll('http://127.0.0.1:4100', url)

/** Tests with the fixture of README.md that leave behind what they can, in any order. */
const leakyTests = `
import { expect } from '@playwright/test'
import { test } from './mock.js'

const matchmaker = 'http://127.0.0.1:4100'

test('leaves another scenario behind', async ({ mock }) => {
  expect(await mock.world.lobbies.count()).toBe(6)
  await mock.load('empty')
  await mock.reset()
  expect(await mock.world.lobbies.count()).toBe(0)
})

test('leaves a page behind that asks again and again', async ({ page, mock }) => {
  await page.goto(matchmaker)
  await page.evaluate(url => void setInterval(() => fetch(url), 20), matchmaker + '/matchmaker/lobbies/list')
  const asked = async () => (await mock.journal.find({ operation: 'lobbies.list' })).length
  await expect.poll(asked, { timeout: 20_000 }).toBeGreaterThan(0)
})

test('completes a device link on its page', async ({ page, mock }) => {
  await page.goto(matchmaker)
  const link = await page.evaluate(async url => (await fetch(url, { method: 'POST' })).json(), matchmaker + '/cloud/devices/links')
  expect(link.device_link_url).toContain('/w/' + mock.id + '/devices/link/')

  const response = await page.goto(link.device_link_url)
  await page.getByRole('button').first().click()

  expect(response.status()).toBe(200)
  const status = async () => (await mock.world.deviceLinks.get(link.device_link_token))?.status
  await expect.poll(status, { timeout: 20_000 }).toBe('complete')
})
`

describe('README.md', () => {
  it('has no block that nobody runs', () => {
    const others = blocks.filter(({ language, file }) => {
      if (['sh', 'yaml', 'mermaid', 'text', 'cs', 'ini'].includes(language)) return false
      return file === undefined || (language !== 'ts' && language !== 'js')
    })

    expect(others).toEqual([])
  })

  it.for(withLanguage('sh').filter(block => commands(block) !== ''))(
    'has commands that work: $text',
    async (block, { project, server }) => {
      const shell = `set -eo pipefail\n${there(commands(block), server)}`

      await expect(project.run('bash', ['-c', shell])).resolves.not.toContain('"code":"')
    },
  )

  it('plays a device link through', async ({ project, server }) => {
    const block = blocks.find(({ text }) => text.includes('links/complete'))

    const printed = await project.run('bash', ['-c', there(block?.text ?? '', server)])

    // The two answers come at the same moment, and the two programs print them in any order.
    expect(printed.replaceAll('\n', '').replace('{}', '')).toMatch(
      /^\{"cloud_token":"cloud\.mock\.\w+","watch":\{"index":"\d+"\}\}$/,
    )
  })

  it('plays a whole session', async ({ project, server }) => {
    const at = blocks.findIndex(({ text }) => text.includes('field ".lobbies.find'))

    const printed = await project.run('bash', ['-c', there(blocks[at]?.text ?? '', server)])

    const shown = blocks[at + 1]
    expect(shown?.language).toBe('text')
    // What npx warns of, on the other stream, comes behind.
    expect(printed.slice(0, shown?.text.length)).toBe(shown?.text)
  })

  it('plays a whole session with the published client', async ({ project, server }) => {
    const script = there(blockOf('session.mjs').text, server)
    writeFileSync(join(project.folder, 'session.mjs'), script)

    const printed = await project.run(process.execPath, ['session.mjs'])

    expect(printed).toBe("1 player on { map: 'Garden' }\nlisted while it is closed: false\n")
  })

  it('plays a whole session with a development token, on canned answers', async ({ project, server }) => {
    const { text } = blockOf('session.mjs')
    const [command = ''] = /node session\.mjs \S+(?=`)/.exec(readme) ?? []
    writeFileSync(join(project.folder, 'session.mjs'), there(text, server))

    const printed = await project.run('bash', ['-c', command])

    expect(printed).toBe('0 player on {}\nlisted while it is closed: true\n')
  })

  it.for([
    ['lobby', LobbyRow.options.map(({ shape }) => shape.status.value)],
    ['player', PlayerRow.options.map(({ shape }) => shape.status.value)],
    ['device link', DeviceLinkRow.options.map(({ shape }) => shape.status.value)],
  ] as const)('draws the states of a %s, and no others', ([, states]) => {
    const drawing = blocks.find(({ language, text }) => language === 'mermaid' && text.includes(`--> ${states[0]}:`))
    const drawn = [...(drawing?.text ?? '').matchAll(/^ {2}(\w+) -->/gm)].map(([, state]) => state)

    expect(new Set(drawn)).toEqual(new Set(states))
  })

  it('starts a game server by hand', async ({ project, server }) => {
    const block = blocks.find(({ text }) => text.includes('node game-server.mjs'))

    const printed = await project.run('bash', ['-c', there(block?.text ?? '', server)])

    expect(printed).toContain('lobby mine is ready for players on port 7777\n')
    expect(printed).toMatch(/"lobby_id":"mine",[^{}]*"state":\{"map":"Harbour"\}/)
  })

  it.for(byCi)('has %s, which CI runs', command => {
    const ci = ['.ci/run', '.ci/package'].map(file => readFileSync(file, 'utf8')).join('\n')

    expect(readme).toContain(command)
    for (const part of command.split(' && ')) expect(ci).toContain(part.split(' ', 2).join(' '))
  })

  it('names every key of a scenario', () => {
    const scenarios = withLanguage('yaml').map(({ text }) => text)

    const unnamed = scenarioKeys().filter(key => !scenarios.some(text => new RegExp(`\\b${key}:`).test(text)))

    expect(unnamed).toEqual([])
  })

  it.for(withLanguage('yaml'))('has a scenario that is right: $text', ({ text }) => {
    const scenario = parseScenario(text)

    expect(createMockmaker({ scenario }).world.gameModes.count()).toBeGreaterThan(0)
  })

  it('has tests that pass', async ({ project }) => {
    const vitest = `${process.cwd()}/node_modules/vitest/vitest.mjs`

    const printed = await project.run(process.execPath, [vitest, 'run', '--root', project.folder])

    expect(printed).toContain('7 passed')
  })

  it('has code that a strict compiler takes', async ({ project }) => {
    const tsc = `${process.cwd()}/node_modules/typescript/bin/tsc`
    const sources = blocks.filter(({ language }) => language === 'ts').map(({ file }) => file ?? '')
    const options = '--noEmit --strict --target es2023 --lib es2023,dom,dom.iterable --module nodenext --skipLibCheck'

    await expect(project.run(process.execPath, [tsc, ...options.split(' '), ...sources])).resolves.toBe('')
  })

  it('has a client that lists lobbies', async ({ project, server }) => {
    const script = there(blockOf('client.mjs').text, server)

    const printed = await project.run(process.execPath, ['--input-type=module', '--eval', script])

    expect(printed).toBe('6 lobbies, the nearest region is Frankfurt\n')
  })

  // Eight tests in a browser take their time on a busy machine.
  it('has a fixture that gives each test of Playwright a world of its own', { timeout: 180_000 }, async ({
    project,
    server,
  }) => {
    const launch = { executablePath, args: ['--no-sandbox'] }
    const config = { testDir: 'e2e', testMatch: '**/*.e2e.ts', workers: 3, use: { launchOptions: launch } }
    writeFileSync(join(project.folder, 'playwright.config.mjs'), `export default ${JSON.stringify(config)}`)
    for (const file of ['e2e/mock.ts', 'e2e/lobbies.e2e.ts'])
      writeFileSync(join(project.folder, file), there(blockOf(file).text, server))
    writeFileSync(join(project.folder, 'e2e/leaks.e2e.ts'), there(leakyTests, server))

    const printed = await project.run('node_modules/@playwright/test/cli.js', ['test', '--repeat-each', '2'])

    expect(printed).toContain('8 passed')
    const { worlds } = createClient(server.url)
    expect((await worlds.list()).map(({ id }) => id)).toEqual(['default'])
  })

  it('has an Express app that answers', async ({ project }) => {
    const script = blockOf('server.mjs').text

    await expect(project.run(process.execPath, ['--input-type=module', '--eval', script])).resolves.toBe('200 6\n')
  })

  it('is what `npm run fixtures` makes of the table of operations', () => {
    if (process.env.UPDATE_FIXTURES === '1') writeFileSync('README.md', withTable(readme))

    expect(readFileSync('README.md', 'utf8')).toBe(withTable(readme))
  })
})
