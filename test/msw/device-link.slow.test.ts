import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import type { ScenarioInput } from '../../src/core/scenario/schema.js'
import { createMockmaker, type Mockmaker } from '../../src/index.js'
import { listen } from '../../src/server/http/index.js'
import { it as base } from '../support/chromium.js'

const scenario = {
  clock: 'frozen',
  games: [
    { name_id: 'tanks', display_name: 'Tanks' },
    { name_id: 'karts', display_name: 'Karts' },
  ],
  device_links: [{ token: 'device.mock.sofa', expires_after: '1h' }],
} satisfies ScenarioInput

const token = 'device.mock.sofa'

/** A page of a device link, with its mock. */
interface Opened {
  readonly page: Page
  readonly mock: Mockmaker
  /** Closes the mock. */
  stop(): Promise<void>
  /** Starts another mock at the same address. */
  restart(scenario: ScenarioInput): Promise<Mockmaker>
  /** The errors that the browser reported. */
  readonly complaints: string[]
}

describe('the page of a device link', inChromium)

function inChromium() {
  const it = base.extend<{ opened: Opened }>({
    opened: async ({ browser }, use) => {
      const mock = createMockmaker({ scenario })
      let server = await listen(mock, { port: 0, host: '127.0.0.1' })
      const { url } = server
      const page = await browser.newPage()
      const complaints: string[] = []
      page.on('console', message => void complaints.push(message.text()))
      page.on('pageerror', error => void complaints.push(error.message))
      await page.goto(`${url}/devices/link/${token}`)
      await use({
        page,
        mock,
        complaints,
        stop: () => server.close(),
        async restart(scenario) {
          const mock = createMockmaker({ scenario })
          server = await listen(mock, { port: Number(new URL(url).port), host: '127.0.0.1' })
          return mock
        },
      })
      await page.close()
      await server.close()
    },
  })

  it('completes the link with one click', async ({ opened: { page, mock, complaints } }) => {
    await page.getByRole('button', { name: 'Karts' }).click()

    await expect
      .poll(() => shown(page))
      .toEqual({
        state: 'complete',
        report: 'The device now has a cloud token of Karts. You may close this page.',
        buttons: [],
      })
    expect(mock.world.deviceLinks.get(token)?.status).toBe('complete')
    expect(complaints).toEqual([])
  })

  it('waits in one blocked watch, and sends no other request', async ({ opened: { page, mock } }) => {
    await expect.poll(() => mock.world.waiters).toBe(1)

    const asked = mock.journal.find().map(({ operation }) => operation)

    expect(asked.filter(operation => operation !== undefined)).toEqual(['devices.links.get'])
    expect((await shown(page)).buttons).toEqual(['Tanks', 'Karts'])
  })

  it('shows when the link is completed elsewhere', async ({ opened: { page, mock, complaints } }) => {
    await expect.poll(() => mock.world.waiters).toBe(1)

    await mock.completeDeviceLink(token, { game: 'tanks' })

    await expect
      .poll(() => shown(page))
      .toEqual({
        state: 'complete',
        report: expect.stringMatching(/^The link was completed elsewhere/),
        buttons: [],
      })
    expect(complaints).toEqual([])
  })

  it('shows when the link expires', async ({ opened: { page, mock } }) => {
    await expect.poll(() => mock.world.waiters).toBe(1)

    await mock.world.clock.advance('1h')

    await expect
      .poll(() => shown(page))
      .toEqual({
        state: 'expired',
        report: 'The link has expired. Start a new link on the device.',
        buttons: [],
      })
  })

  it('disables its buttons while the mock is down, and continues when it is back', async ({ opened }) => {
    const { page, stop, restart } = opened
    await expect.poll(() => opened.mock.world.waiters).toBe(1)

    await stop()
    await expect
      .poll(() => shown(page))
      .toEqual({
        state: 'pending',
        report: 'The mock does not answer. Trying again …',
        buttons: ['disabled', 'disabled'],
      })
    const mock = await restart(scenario)
    await expect.poll(() => shown(page)).toEqual({ state: 'pending', report: '', buttons: ['Tanks', 'Karts'] })
    await page.getByRole('button', { name: 'Tanks' }).click()

    await expect.poll(() => mock.world.deviceLinks.get(token)?.status).toBe('complete')
  })

  it('shows when the mock comes back without the link', async ({ opened: { page, stop, restart } }) => {
    await stop()
    await restart({ ...scenario, device_links: [] })

    await expect
      .poll(() => shown(page))
      .toEqual({ state: 'unknown', report: expect.stringMatching(/^The mock no longer has this link/), buttons: [] })
  })

  it('keeps waiting if a fault applies to the watch', async ({ opened: { page, mock } }) => {
    await expect.poll(() => mock.world.waiters).toBe(1)
    mock.faults.add({ operation: 'devices.links.get', effect: { error: { code: 'API_RATE_LIMIT' } } })
    await page.reload()

    await expect
      .poll(() => shown(page))
      .toMatchObject({
        report: expect.stringMatching(/^The mock refuses: .* Trying again …$/),
        buttons: ['disabled', 'disabled'],
      })
    mock.faults.clear()

    await expect.poll(() => shown(page)).toEqual({ state: 'pending', report: '', buttons: ['Tanks', 'Karts'] })
  })

  it('shows the message of a refusal, and offers to reload the page', async ({ opened: { page, mock } }) => {
    mock.faults.add({
      operation: 'devices.links.complete',
      effect: { error: { code: 'API_FORBIDDEN', message: 'not today' } },
    })

    await page.getByRole('button', { name: 'Tanks' }).click()
    await expect
      .poll(() => shown(page))
      .toEqual({
        state: 'pending',
        report: 'The mock refuses: not today',
        buttons: ['Load the page again'],
      })
    mock.faults.clear()
    await page.getByRole('button', { name: 'Load the page again' }).click()

    await expect
      .poll(() => shown(page).catch(() => undefined))
      .toEqual({ state: 'pending', report: '', buttons: ['Tanks', 'Karts'] })
  })

  it('leaves no waiter behind when it is closed', async ({ opened: { page, mock } }) => {
    await expect.poll(() => mock.world.waiters).toBe(1)

    await page.goto('about:blank')

    await expect.poll(() => mock.world.waiters).toBe(0)
  })
}

/** Returns the visible state, the message and the buttons of a page. A button is `disabled` if it cannot be clicked. */
async function shown(page: Page) {
  return page.evaluate(() => ({
    state: document.querySelector<HTMLElement>('.state')?.dataset.state,
    report: document.querySelector('[role=status]')?.textContent ?? '',
    buttons: [...document.querySelectorAll('button')].map(button =>
      button.disabled ? 'disabled' : button.textContent,
    ),
  }))
}
