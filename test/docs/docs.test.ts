import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseScenario } from '../../src/core/scenario/index.js'
import { readScenario } from '../../src/core/scenario/read.js'
import { LobbyRow, PlayerRow } from '../../src/core/store/matchmaker-rows.js'
import { DeviceLinkRow } from '../../src/core/store/rows.js'
import { createMockmaker } from '../../src/index.js'
import { type Block, blockOf, blocksWith, exampleFileOf, type Page, pageAt, pages } from '../support/docs.js'
import { keysOf, withoutGenerated } from '../support/generated-tables.js'
import { closedAfterTest } from '../support/worlds.js'
import { anchorsOf, linksOf, sentencesOf, wordsIn } from './prose.js'
import { actionsOf, commandsOfCi, isBashOnly } from './shell-blocks.js'

const everyPage = pages.map(page => [page.path, page] as const)
const pagesWith = (language: string) =>
  everyPage.filter(([, { blocks }]) => blocks.some(block => block.language === language))

/** Tells whether a YAML block is a scenario. Blocks for other programs name their file. */
const isScenario = ({ file = '' }: { readonly file: string | undefined }) => !file.startsWith('.github/')
const scenarios = blocksWith('yaml').filter(({ block }) => isScenario(block))

/** Texts of blocks for programs that are not installed here. The engine tests read these blocks. */
const settings: Readonly<Record<string, string>> = {
  cs: 'PlayerPrefs.SetString',
  ini: '[/Script/Rivet.RivetClient]',
  json: 'ApiEndpoint',
}

/** Code of the guides that runs in a browser test. */
const ranInBrowser = ['mocks.ts', 'e2e/app.ts', 'e2e/lobbies.e2e.ts', 'e2e/served.e2e.ts']

/** Tells whether a test runs or compares a block. `before` is the previous block of the page. */
function isTested(
  block: Block,
  { before, commands, page }: { before: Block | undefined; commands: string; page: Page },
) {
  const { language, text, file = '' } = block
  // A test compares it with the file, and another one runs the example.
  if (exampleFileOf(page, block)) return true
  if (language === 'sh' || language === 'powershell') return true
  // Its text is compared with the output of the commands before it.
  // A test below reads the drawing of the wings.
  if (page.path === 'docs/contributing.md' && language === 'text') return true
  if (language === 'text') return before?.language === 'sh' || before?.language === 'powershell'
  // test/server/processes/game-servers.slow.test.ts and test/cli/check-server.slow.test.ts run it.
  if (file === 'lobby-server.mjs') return true
  // test/docs/run.slow.test.ts runs them in a browser.
  if (page.path === 'docs/reference/browser-game.md')
    return ['arena.html', 'arena_server.py', 'arena.yaml'].includes(file)
  // test/cli/players.slow.test.ts runs it.
  if (file === 'bot.mjs') return true
  if (language === 'js') return file !== '' && commands.includes(`node ${file}`)
  // test/cli/mcp.test.ts compares them with what the command prints.
  if (page.path === 'docs/guides/use-it-from-an-agent.md' && language === 'json') return true
  // The tests of its page import it.
  if (file === 'wait-for-cloud-token.ts') return true
  if (language === 'ts') return file.endsWith('.test.ts') || ranInBrowser.includes(file)
  if (language === 'yaml') return isScenario({ file }) || file === '.github/workflows/test.yml'
  if (language === 'mermaid') return text.startsWith('stateDiagram-v2')
  return settings[language] !== undefined && text.includes(settings[language])
}

/** Returns the matches of a pattern in the first cells of the tables, if they are in backticks. */
function firstCells(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(new RegExp(`^\\| \`${pattern.source}\``, 'gm'))].map(([, cell = '']) => cell)
}

/** Returns the options of a mock, from the error about an unknown one. */
function knownOptions(): string[] {
  try {
    createMockmaker({ unknown: 1 } as object)
    return []
  } catch (error) {
    return /Known: (.*)\.$/.exec(String(error))?.[1]?.split(', ') ?? []
  }
}

/** Returns the text below a heading of level 2. */
function sectionOf(text: string, title: string): string {
  return new RegExp(`^## ${title}\\n(.*?)(?=^## |(?![^]))`, 'ms').exec(text)?.[1] ?? ''
}

/** Returns the links of a page to files of the repository, as paths from its root. */
function localLinksOf(page: (typeof pages)[number]) {
  return linksOf(page)
    .filter(target => !/^\w+:/.test(target))
    .map(target => {
      const [file = '', anchor] = target.split('#')
      return { target, file: file === '' ? page.path : normalize(join(dirname(page.path), file)), anchor }
    })
}

describe('README.md', () => {
  it('has at most 250 lines', () => {
    expect(readFileSync('README.md', 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(250)
  })

  it.for(commandsOfCi)('has %s, which CI runs', command => {
    const ci = ['.ci/run', '.ci/package'].map(file => readFileSync(file, 'utf8')).join('\n')

    expect(readFileSync('README.md', 'utf8')).toContain(command)
    for (const part of command.split(' && ')) expect(ci).toContain(part.split(' ', 2).join(' '))
  })
})

describe('the pages', () => {
  it.for(everyPage)('%s has no broken links', ([, page]) => {
    const broken = localLinksOf(page).filter(({ file, anchor }) => {
      const linked = pages.find(({ path }) => path === file)
      if (!existsSync(file)) return true
      return anchor !== undefined && !(linked && anchorsOf(linked).includes(anchor))
    })

    expect(broken.map(({ target }) => target)).toEqual([])
  })

  it('can all be reached from the index', () => {
    const index = pages.find(({ path }) => path === 'docs/README.md')
    const linked = new Set(index && localLinksOf(index).map(({ file }) => file))

    expect(pages.map(({ path }) => path).filter(path => !linked.has(path) && path !== 'docs/README.md')).toEqual([])
  })

  it.for(everyPage)('%s has no sentence above 20 words, and the generated parts none above 25', ([, page]) => {
    const written = sentencesOf({ ...page, text: withoutGenerated(page.text) })

    expect(written.filter(sentence => wordsIn(sentence) > 20)).toEqual([])
    expect(sentencesOf(page).filter(sentence => wordsIn(sentence) > 25)).toEqual([])
  })

  it.for(everyPage)('%s names only files that exist', ([, { text }]) => {
    const named = [...text.matchAll(/`((?:src|test|docs|fixtures|\.ci|\.github)\/[\w./-]+)`/g)].map(
      ([, path = '']) => path,
    )

    expect(named.filter(path => !existsSync(path))).toEqual([])
  })

  it.for(everyPage)('%s names only npm scripts that exist', ([, { text }]) => {
    const { scripts }: { scripts: object } = JSON.parse(readFileSync('package.json', 'utf8'))
    const named = [...text.matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(([, name = '']) => name)

    expect(named.filter(name => !Object.hasOwn(scripts, name))).toEqual([])
  })
})

const guides = pages.filter(({ path }) => path.startsWith('docs/guides/'))

describe('the guides', () => {
  it('are at most 20, of at most 800 words each', () => {
    const long = guides.filter(({ text }) => text.trim().split(/\s+/).length > 800)

    expect(long.map(({ path }) => path)).toEqual([])
    expect(guides.length).toBeLessThanOrEqual(20)
  })
})

describe('an example', () => {
  const linked = new Set(guides.flatMap(page => localLinksOf(page).map(({ file }) => file)))

  it.for(readdirSync('examples'))('is linked from a guide, and says what to change in another project: %s', name => {
    const manifest: { '//': string } = JSON.parse(readFileSync(`examples/${name}/package.json`, 'utf8'))

    expect([...linked]).toContain(`examples/${name}`)
    expect(manifest['//']).toMatch(/^In a project of your own, install mockmaker .*instead of file:\.\.\/\.\./)
  })
})

describe('docs/contributing.md', () => {
  const { text } = pageAt('docs/contributing.md')

  it('draws the wings of src', () => {
    const folders = readdirSync('src', { withFileTypes: true }).filter(entry => entry.isDirectory())
    const drawn = blockOf('docs/contributing.md', undefined).text.matchAll(/ (\w+)\//g)

    expect([...drawn].map(([, name]) => name).sort()).toEqual(folders.map(({ name }) => name).sort())
  })

  it('names functions that exist, at most 12 in a journey', () => {
    const journeys = sectionOf(text, 'Where is what')
      .split(/^[^\d\n].*:$/m)
      .slice(1)
      .map(journey => [...journey.matchAll(/^\d+\. `([^`:]+):#?(\w+)`/gm)])
    const lost = journeys.flat().filter(([, file = '', name = '']) => !readFileSync(file, 'utf8').includes(name))

    expect(journeys).toHaveLength(5)
    expect(journeys.filter(steps => steps.length < 5 || steps.length > 12)).toEqual([])
    expect(lost.map(([step]) => step)).toEqual([])
  })

  it('explains at most 12 words', () => {
    const [, words = ''] = text.split('| word | meaning |')

    expect(words.split('\n\n', 1)[0]?.match(/^\| \w/gm)?.length).toBeLessThanOrEqual(12)
  })
})

describe('docs/something-is-wrong.md', () => {
  it('has words that the mock prints with the place of the page, besides those of browsers and bundlers', () => {
    const foreign = /ECONNREFUSED|CORS|Cross-Origin|msw|ServiceWorker/
    const section = sectionOf(pageAt('docs/something-is-wrong.md').text, 'By the words of an error')
    const cells = [...section.matchAll(/^\| (`.*?) \|/gm)].map(([, cell = '']) => cell)
    const words = cells.flatMap(cell => cell.split('`').filter((_, at) => at % 2 === 1))
    const lines = readdirSync('src', { recursive: true, encoding: 'utf8' })
      .filter(file => file.endsWith('.ts'))
      .flatMap(file => readFileSync(join('src', file), 'utf8').split('\n'))
      .filter(line => line.includes('{startPage}'))
    const lost = words.filter(text => !lines.some(line => text.split(/ ?… ?/).every(part => line.includes(part))))

    expect(lost.filter(text => !foreign.test(text))).toEqual([])
    expect(words.length).toBeGreaterThan(10)
  })
})

describe('docs/reference/options.md', () => {
  it('lists the options of a mock, and no others', () => {
    const [table = ''] = pageAt('docs/reference/options.md').text.split('\n## ')

    expect(firstCells(table, /(\w+)/).sort()).toEqual(knownOptions().sort())
  })
})

describe('the blocks of code', () => {
  it.for(everyPage.filter(([, { blocks }]) => blocks.length > 0))(
    'of %s are run by a test, or compared by one',
    ([, page]) => {
      const { blocks } = page
      // A scenario may start a game server.
      const commands = blocks.map(({ language, text }) => (/^(?:sh|yaml)$/.test(language) ? text : '')).join('\n')
      const others = blocks.filter((block, at) => !isTested(block, { before: blocks[at - 1], commands, page }))

      expect(others).toEqual([])
    },
  )

  it('of the guides of examples are their files, or parts of them', () => {
    for (const page of pages)
      for (const block of page.blocks) {
        const file = exampleFileOf(page, block)
        if (file === undefined) continue
        const whole = readFileSync(file, 'utf8')
        const parts = block.text.replace(/^.*\n/, '').split(/^ *(?:\/\/|#) …\n/m)

        for (const part of parts) expect(whole).toContain(part.trim())
      }
  })

  it.for(everyPage)('of %s are all found', ([, { text, blocks }]) => {
    // A fence with indentation or an info string would hide its block from the tests.
    expect(text.match(/^\s*(?:```|~~~)/gm)?.length ?? 0).toBe(2 * blocks.length)
  })

  it('of README.md for bash have a sibling for PowerShell, if PowerShell cannot run them', () => {
    const { blocks } = pageAt('README.md')
    const alone = blocks.filter(
      (block, at) => block.language === 'sh' && isBashOnly(block) && blocks[at + 1]?.language !== 'powershell',
    )

    expect(alone.map(({ text }) => text)).toEqual([])
  })

  it.for(pagesWith('powershell'))('of %s for PowerShell do the same as those for bash', ([, { blocks }]) => {
    for (const [at, block] of blocks.entries()) {
      if (block.language !== 'powershell') continue
      const sibling = blocks[at - 1]
      expect(sibling?.language).toBe('sh')
      if (sibling) expect(actionsOf(block)).toEqual(actionsOf(sibling))
    }
  })

  it.for(scenarios.map(({ page, block }) => [page.path, block] as const))(
    'of %s have valid scenarios',
    ([, { text }]) => {
      // The mock of a file starts its game servers.
      const scenario = readScenario(parseScenario(text), { commands: 'allowed' })

      expect(closedAfterTest(createMockmaker({ scenario })).world.gameModes.count()).toBeGreaterThan(0)
    },
  )

  it('show every key of a scenario', () => {
    const keys = [...keysOf(JSON.parse(readFileSync('fixtures/scenario.schema.json', 'utf8'))).keys()]
    const names = new Set(
      keys.map(path => path.replace(/^.*\./, '')).filter(name => name !== '$schema' && name !== 'past'),
    )

    const missing = [...names].filter(
      name => !scenarios.some(({ block }) => new RegExp(`\\b${name}:`).test(block.text)),
    )

    expect(missing).toEqual([])
  })

  it.for([
    ['lobby', LobbyRow.options.map(({ shape }) => shape.status.value)],
    ['player', PlayerRow.options.map(({ shape }) => shape.status.value)],
    ['device link', DeviceLinkRow.options.map(({ shape }) => shape.status.value)],
  ] as const)('draw the states of a %s, and no others', ([, states]) => {
    const drawings = blocksWith('mermaid')
    const drawing = drawings.find(({ block }) => block.text.includes(`--> ${states[0]}:`))
    const drawn = [...(drawing?.block.text ?? '').matchAll(/^ {2}(\w+) -->/gm)].map(([, state]) => state)

    expect(new Set(drawn)).toEqual(new Set(states))
    expect(drawings).toHaveLength(3)
  })
})
