import { readFileSync } from 'node:fs'
import type { RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { scenarios } from '../../src/core/scenario/index.js'
import { it, type OpenDashboard } from '../support/dashboard-page.js'

const find = '/matchmaker/lobbies/find'
const phone = { width: 390, height: 844 }

const axeSource = readFileSync('node_modules/axe-core/axe.min.js', 'utf8')

/** What lies on top of the page. The rest of it is as it was before. */
const onTop = 'dialog[open], .box'

/** Lists the violations that axe finds in the light scheme, and the contrasts that are too low in the dark one, in what is new on a page. */
async function violationsOf(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource)
  await page.emulateMedia({ colorScheme: 'light' })
  const light = await runAxe(page, onTop, {})
  await page.emulateMedia({ colorScheme: 'dark' })
  return [...light, ...(await runAxe(page, `${onTop}, .details`, { runOnly: ['color-contrast'] }))]
}

/** Returns the violations with the elements, in a part of the page, or in all of it if it does not have that part. */
function runAxe(page: Page, part: string, options: RunOptions): Promise<readonly string[]> {
  return page.evaluate(
    async ([options, part]) => {
      const { axe: loaded } = globalThis as unknown as { axe: typeof import('axe-core') }
      const parts = [...document.querySelectorAll(part)]
      const { violations } = await loaded.run(parts.length === 0 ? document : { include: parts }, {
        ...options,
        resultTypes: ['violations'],
      })
      return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`))
    },
    [options, part] as const,
  )
}

/** By name: the steps to a part of the page. */
type Parts = { readonly [name: string]: (page: Page) => Promise<unknown> }

const parts: Parts = {
  'the page': async () => {},
  'the table of the map': page => page.locator('.region-list button').first().focus(),
  'the menu of a region': async page => {
    await page.locator('.region-list button').first().press('Enter')
    await page.getByRole('button', { name: /^Take down/ }).click()
  },
  'the details of a lobby': page => page.locator('.lobbies .rows [role=row]').first().click(),
  'the form of a new lobby': page => page.getByRole('button', { name: 'Make a lobby' }).click(),
  'the details of a request': async page => {
    await page.locator('.requests .rows [role=row]').first().click()
    await page.getByRole('button', { name: 'Changed' }).click()
  },
  'the menu of worlds': page => page.getByRole('button', { name: /^World: / }).click(),
  'the menu of scenarios': async page => {
    const button = page.getByRole('button', { name: /^Scenario/ })
    // On a narrow page, it is in the menu of worlds.
    if (!(await button.isVisible())) await page.getByRole('button', { name: /^World: / }).click()
    await button.click()
  },
  'the faults': async page => {
    await page.getByRole('button', { name: /^Faults/ }).click()
    await page.getByText('Another fault').click()
  },
  'the devices': page => page.getByRole('button', { name: /^Devices/ }).click(),
  'the warnings': async page => {
    await page.getByRole('button', { name: /^Warnings/ }).click()
    await page.locator('.warning').first().click()
  },
  'the servers': page => page.getByRole('button', { name: /^Servers/ }).click(),
  'the players': page => page.getByRole('button', { name: /^Players/ }).click(),
  'the clients': async page => {
    await page.getByRole('button', { name: /^World: / }).click()
    await page.getByRole('button', { name: 'Connect a client' }).click()
  },
  'the menu of the clock': page => page.getByRole('button', { name: /^Clock/ }).click(),
  'the palette': async page => {
    await page.keyboard.press('Control+k')
    await page.keyboard.type('lo')
  },
  'the help': async page => {
    await page.getByRole('button', { name: 'Help' }).click()
    await page.locator('.help').getByText('Something is wrong?').click()
    await page.getByText('docs/something-is-wrong.md').waitFor()
  },
  'the keys': page => page.keyboard.press('?'),
  'the past': async page => {
    await page.getByRole('slider', { name: 'Revision' }).press('Home')
    await page.getByRole('region', { name: 'The past' }).waitFor()
  },
  // The last part: the request waits until the test ends.
  'the held request': async page => {
    await page.keyboard.press('h')
    await page.locator('.views button', { hasText: /^Faults 2/ }).waitFor({ state: 'attached' })
    await page.evaluate(path => void fetch(path, { method: 'POST', body: '{"game_modes":["none"]}' }), find)
    await page.getByRole('button', { name: 'Edit the answer' }).click()
    await page.getByRole('textbox', { name: 'Body, as JSON' }).fill('{"b": 1}')
    await page.getByRole('region', { name: 'The draft and the edited answer' }).waitFor()
  },
}

/** A phone shows one of these at a time. */
const showPanel = (name: string) => (page: Page) =>
  page.getByRole('navigation', { name: 'Parts of the page' }).getByRole('button', { name }).click()

const phoneParts: Parts = Object.fromEntries(
  ['World', 'Requests', 'Players', 'Servers', 'Warnings', 'Faults', 'Devices', 'Time'].map(name => [
    `the part ${name}`,
    showPanel(name),
  ]),
)

/** The same parts on a phone, where some of them are in another part. */
const partsOnPhone: Parts = Object.fromEntries(
  Object.entries(parts).map(([name, go]) => {
    const panel = {
      'the details of a request': 'Requests',
      'the held request': 'Requests',
      'the past': 'Time',
    }[name]
    return [name, panel === undefined ? go : (page: Page) => showPanel(panel)(page).then(() => go(page))]
  }),
)

/** Fills the journal, adds a fault, and changes the world. */
async function use({ mock, send, page }: OpenDashboard): Promise<void> {
  await send(find, { game_modes: [mock.world.gameModes.all()[0]?.game_mode_id] })
  await send(find, { game_modes: ['none'] })
  await send('/v1/lobbies/find')
  mock.faults.add({ operation: 'lobbies.join', effect: { delay: '2s' } })
  await page.locator('.views button', { hasText: /^Faults 1/ }).waitFor({ state: 'attached' })
}

/** Closes with Escape what a step has opened. Tells whether the page is as it was at the start. */
async function comesBack(page: Page, start: string): Promise<boolean> {
  for (let i = 0; i < 3; i++) {
    await page.keyboard.press('Escape')
    if (page.url() === start && (await page.locator('dialog, .box, .details').count()) === 0) return true
  }
  return false
}

/** Goes to each part of a page, and returns what it finds wrong there, by the name of the part. Each time, it begins at the address that the page has. */
async function inEachPart(
  page: Page,
  { parts, find }: { readonly parts: Parts; readonly find: (page: Page) => Promise<readonly string[]> },
): Promise<{ [part: string]: readonly string[] }> {
  const found: { [part: string]: readonly string[] } = {}
  const start = page.url()
  for (const [i, [name, go]] of Object.entries(parts).entries()) {
    if (i === 0 || !(await comesBack(page, start))) {
      await page.goto(start)
      await page.locator('[data-connection=live]').waitFor()
      await page.locator('.views button', { hasText: /^Faults 1/ }).waitFor({ state: 'attached' })
    }
    await go(page)
    const wrong = await find(page)
    if (wrong.length > 0) found[name] = wrong
  }
  return found
}

/** True if the page, or an open dialog or menu, is wider than its place. */
const overflows = (page: Page) =>
  page.evaluate(() =>
    [
      document.documentElement,
      ...document.querySelectorAll('dialog[open], .box, main, .pane, .details, .notices, .head'),
    ]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
      .map(({ className, tagName }) => `${tagName}.${className}`),
  )

/** Lists what is too wide, and the names that became elements. */
const brokenBy = async (page: Page) => [
  ...(await overflows(page)),
  ...(await page.locator('b b, img, script:not([src]) ~ script').allInnerTexts()),
]

describe.for([phone, { width: 1280, height: 900 }])('with names, states and tokens at the limits, %j', size => {
  it('nothing breaks in any part, and axe finds nothing to mend', async ({ open }) => {
    const dashboard = await open({ scenario: { ...scenarios.nasty, clock: 'frozen' }, size })
    const { page, complaints } = dashboard
    const isPhone = size === phone
    // No request has come yet.
    if (!isPhone) expect(await violationsOf(page)).toEqual([])
    await use(dashboard)
    await fetch(`${dashboard.url}/${'%3Cb%3E'.repeat(300)}?${'q'.repeat(2_000)}`, {
      headers: { 'x-evil': '<img src=x onerror=alert(1)>' },
    })
    const findAll = async (page: Page) => [...(await brokenBy(page)), ...(await violationsOf(page))]

    expect(await inEachPart(page, { parts: isPhone ? phoneParts : parts, find: findAll })).toEqual({})
    if (isPhone) {
      await page.goto(dashboard.url)
      expect(await inEachPart(page, { parts: partsOnPhone, find: brokenBy })).toEqual({})
    }
    expect(complaints).toEqual([])
  })
})
