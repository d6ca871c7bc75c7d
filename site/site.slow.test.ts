import { execFile } from 'node:child_process'
import { appendFileSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, onTestFinished } from 'vitest'
import { it } from '../test/support/chromium.js'

const base = '/a/sub-path/'
const origin = 'http://site.example'

/** Runs npm in a folder. Rejects with what it printed. */
async function npm(cwd: string, ...args: readonly string[]): Promise<string> {
  const env = { ...process.env, SITE_BASE: base, SITE_DRAFT: '1', GITHUB_REPOSITORY: 'a/b', NODE_ENV: undefined }
  // npm is a script on Windows.
  const run = promisify(execFile)('npm', args, { cwd, env, shell: process.platform === 'win32' })
  const { stdout } = await run.catch(({ stdout: printed, stderr }) => {
    throw new Error(`npm ${args.join(' ')}\n${printed}${stderr}`)
  })
  return stdout
}

beforeAll(async () => {
  // npm writes this file at the end.
  if (!existsSync('site/node_modules/.package-lock.json'))
    await npm('site', 'ci', '--no-audit', '--no-fund', '--no-progress', '--prefer-offline')
  await npm('site', 'run', 'build')
}, 600_000)

/** Opens a page of the built site below its base. Nothing else is reachable. */
async function open(browser: Browser, path: string, options: Parameters<Browser['newContext']>[0] = {}) {
  const context = await browser.newContext(options)
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', message => void complaints.push(message.text()))
  page.on('pageerror', error => void complaints.push(error.message))
  await page.route('**/*', route => {
    const { origin: from, pathname } = new URL(route.request().url())
    const file = join('site/dist', pathname.slice(base.length).replace(/(^|\/)$/, '$1index.html'))
    const isThere = from === origin && pathname.startsWith(base) && existsSync(file)
    return isThere ? route.fulfill({ path: file }) : route.abort()
  })
  await page.goto(`${origin}${base}${path}`)
  return { page, complaints }
}

/** Starts the nth demo of a page, and returns the body of the mock's page. */
async function start(page: Page, index = 0): Promise<Locator> {
  const demo = page.locator('.try').nth(index)
  expect(page.frames().filter(frame => frame.url() !== '')).toHaveLength(1)
  await demo.getByText('Try it', { exact: true }).click()
  expect(await demo.locator('iframe').getAttribute('sandbox')).not.toContain('allow-same-origin')
  return demo.frameLocator('iframe').locator('body')
}

const press = (mock: Locator, name: string) => mock.getByRole('button', { name, exact: true }).click()

async function sendAgain(mock: Locator): Promise<void> {
  await press(mock, 'Send again')
  await mock.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click()
}

/** The guide of each demo, and what its page says. */
const guides = [
  ['find', 'guides/dashboard.html', /^Toronto won although Frankfurt is nearer/],
  ['fault', 'guides/faults.html', /503/],
  ['link', 'guides/device-links.html', /^pending, expires in/],
  ['past', 'guides/dashboard.html', /^You see 20:01:00, 1 min ago/],
  ['client', 'guides/connect-a-game.html', /^Tanks\/prod has 7 running lobbies/],
] as const

describe('the site', () => {
  it('shows a find with its reasons on the front page, and answers the next one', async ({ browser }) => {
    const { page, complaints } = await open(browser, '')
    const mock = await start(page)

    await mock.getByText(/^Toronto won although Frankfurt is nearer/).waitFor()
    await sendAgain(mock)
    await mock.getByText(/^Frankfurt won: a find takes the fullest lobby/).waitFor()
    expect(complaints).toEqual([])
  })

  it('leads to the repository for what it does not have', () => {
    const page = readFileSync('site/dist/README.html', 'utf8')

    expect(page).toContain('"https://github.com/a/b/tree/HEAD/examples/phaser"')
  })

  it.for(guides)('has the demo %s on %s', { tags: ['matrix'] }, async ([name, path, text], { browser }) => {
    const { page, complaints } = await open(browser, path, { viewport: { width: 390, height: 844 } })
    const mock = await start(page, name === 'past' ? 1 : 0)

    await mock.getByText(text).first().waitFor()
    expect(complaints).toEqual([])
  })

  it('goes on where a demo begins', { tags: ['matrix'] }, async ({ browser }) => {
    const fault = await start((await open(browser, 'guides/faults.html')).page)
    await sendAgain(fault)
    await fault.getByText('Request 7: 503').waitFor()
    const link = await start((await open(browser, 'guides/device-links.html')).page)
    await link.getByRole('button', { name: 'Complete as Tanks' }).first().click()
    await link.getByText('complete: the device has a cloud token').waitFor()
    const past = await start((await open(browser, 'guides/dashboard.html')).page, 1)
    await press(past, 'Previous')
    await press(past, 'Fork from here')
    await past.getByText('default-before-20-01-00').waitFor()
  })

  it('finds a word in all pages', { tags: ['matrix'] }, async ({ browser }) => {
    const { page } = await open(browser, '')
    // Before it says so, nothing listens to the keys.
    await page.getByText('Ctrl', { exact: true }).waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('watch_index')

    await page.getByRole('link', { name: /watch/i }).first().waitFor()
  })

  it('has its pictures', { tags: ['matrix'] }, async ({ browser }) => {
    const { page } = await open(browser, 'guides/dashboard.html')
    const widths = page.locator('img').evaluateAll(all => all.map(image => (image as HTMLImageElement).naturalWidth))

    expect((await widths).filter(width => width > 0)).toHaveLength(5)
  })
})

describe('a build', () => {
  it.for([
    ['a link that leads nowhere', '[gone](gone.md)', 'dead link to gone.md in docs/performance.md'],
    ['a link to a heading that is gone', '[gone](contributing.md#gone)', 'Dead anchor found'],
    ['an unknown demo', '<!--try:nothing-->', 'there is no demo nothing for docs/performance.md'],
  ] as const)('fails because of %s', { tags: ['matrix'] }, async ([, text, message]) => {
    const root = copyWith(text)

    await expect(npm(join(root, 'site'), 'run', 'build')).rejects.toThrow(message)
  })
})

/** Copies what the site is made of to a temporary folder, with a text at the end of a page. */
function copyWith(text: string): string {
  const root = mkdtempSync(join(tmpdir(), 'site-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const name of ['CHANGELOG.md', 'README.md', 'docs', 'examples', 'package.json', 'site'])
    cpSync(name, join(root, name), {
      recursive: true,
      filter: file => !/[/\\](node_modules|dist)$|test\.ts$/.test(file),
    })
  for (const name of ['dist', 'node_modules', 'tsconfig.json', 'src']) symlinkSync(resolve(name), join(root, name))
  symlinkSync(resolve('site/node_modules'), join(root, 'site/node_modules'))
  appendFileSync(join(root, 'docs/performance.md'), `\n${text}\n`)
  return root
}
