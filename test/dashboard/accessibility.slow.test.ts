import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { scenarios } from '../../src/scenarios.js'
import { it, type OpenDashboard } from '../support/dashboard-page.js'

const find = '/matchmaker/lobbies/find'
const phone = { width: 390, height: 844 }

/** Lists the violations that axe finds, with the elements. */
async function violationsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source)
  return page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: typeof import('axe-core') }).axe.run()
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`))
  })
}

/** The steps to each part of the page. */
const parts: { readonly [name: string]: (page: Page) => Promise<unknown> } = {
  'the page': async () => {},
  'the list of the map': page => page.getByText('The map as a list').click(),
  'the drawer of a lobby': page => page.locator('.lobbies .rows [role=row]').first().click(),
  'the form of a new lobby': page => page.getByRole('button', { name: '+ Make a lobby' }).click(),
  'the details of a request': async page => {
    await page.locator('.requests .rows [role=row]').first().click()
    await page.getByRole('button', { name: 'World before → after' }).click()
  },
  'the menu of worlds': page => page.getByRole('button', { name: /^World: default/ }).click(),
  'the menu of scenarios': page => page.getByRole('button', { name: /^Scenario/ }).click(),
  'the faults': async page => {
    await page.getByRole('button', { name: /faults? on|Faults/ }).click()
    await page.getByText('Another fault').click()
  },
  'the devices': page => page.getByRole('button', { name: /^Devices/ }).click(),
  'the clients': page => page.getByRole('button', { name: 'Connect a client' }).click(),
  'the past': async page => {
    await page.getByRole('slider', { name: 'Revision' }).press('Home')
    await page.getByText('You look at').waitFor()
  },
}

/** Fills the journal, adds a fault, and changes the world. */
async function use({ mock, send, page }: OpenDashboard): Promise<void> {
  await send(find, { game_modes: [mock.world.gameModes.all()[0]?.game_mode_id] })
  await send(find, { game_modes: ['none'] })
  mock.faults.add({ operation: 'lobbies.join', effect: { delay: '2s' } })
  await page.getByText('1 fault on').waitFor()
}

describe.for(['light', 'dark'] as const)('axe finds nothing to mend in the %s scheme', scheme => {
  it.for(Object.entries(parts))('in %s', async ([, go], { open }) => {
    const dashboard = await open({ scenario: { ...scenarios['friday-night'], clock: 'frozen' }, scheme })
    await use(dashboard)

    await go(dashboard.page)

    expect(await violationsOf(dashboard.page)).toEqual([])
  })

  it('while no request has come', async ({ open }) => {
    const { page } = await open({ scenario: { clock: 'frozen' }, scheme })
    await page.getByText('Waiting for the first request…').waitFor()

    expect(await violationsOf(page)).toEqual([])
  })

  it.for(['World', 'Lobbies', 'Requests', 'Time'])('on a phone, in the part %s', async (name, { open }) => {
    const dashboard = await open({ scenario: { ...scenarios['friday-night'], clock: 'frozen' }, scheme, size: phone })
    await use(dashboard)

    await dashboard.page.getByRole('navigation').getByRole('button', { name }).click()

    expect(await violationsOf(dashboard.page)).toEqual([])
  })
})

/** True if the page, or an open dialog or menu, is wider than its place. */
const overflows = (page: Page) =>
  page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('dialog[open], .box, main, .panel, .notices, .top')]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
      .map(({ className, tagName }) => `${tagName}.${className}`),
  )

describe.for([phone, { width: 1280, height: 900 }])('names, states and tokens at the limits, %j', size => {
  it.for(Object.entries(parts))('break nothing in %s', async ([, go], { open }) => {
    const dashboard = await open({ scenario: { ...scenarios.nasty, clock: 'frozen' }, size })
    const { page, complaints } = dashboard
    await use(dashboard)
    await fetch(`${dashboard.url}/${'%3Cb%3E'.repeat(300)}?${'q'.repeat(2_000)}`, {
      headers: { 'x-evil': '<img src=x onerror=alert(1)>' },
    })
    // A phone shows one part at a time.
    const shown = { requests: 'Requests', time: 'Time' }
    if (size === phone && /request/.test(go.toString()))
      await page.getByRole('navigation').getByText(shown.requests).click()
    if (size === phone && /slider/.test(go.toString())) await page.getByRole('navigation').getByText(shown.time).click()

    await go(page)

    expect(await overflows(page)).toEqual([])
    expect(await page.locator('b b, img, script:not([src]) ~ script').count()).toBe(0)
    expect(complaints).toEqual([])
  })
})
