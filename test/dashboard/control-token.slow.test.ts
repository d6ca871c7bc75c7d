import { describe, expect } from 'vitest'
import { createMockmaker } from '../../src/index.js'
import { createApp } from '../../src/server/http/index.js'
import { it } from '../support/dashboard-page.js'
import { serveDuringTest } from '../support/http.js'
import { closedAfterTest } from '../support/worlds.js'

const secret = 'secret-control-token-0123456789'

/** Serves a mock with a control token, which other machines reach under a name. */
async function serve() {
  const mock = closedAfterTest(createMockmaker({ seed: 1 }))
  const url = await serveDuringTest(createApp(mock, { controlToken: secret, allowedHosts: ['other.example'] }))
  return { mock, url, port: new URL(url).port }
}

describe('the dashboard of a mock with a control token', () => {
  it('asks for the token, refuses a wrong one, and keeps the right one for its tab', async ({ browser }) => {
    const { mock, url } = await serve()
    const page = await browser.newPage()
    await page.goto(url)
    await page.getByText('This mock has a control token.').waitFor()

    await page.getByLabel('Control token').fill('another-control-token')
    await page.getByRole('button', { name: 'Open', exact: true }).click()
    await page.getByText('The mock does not take this control token.').waitFor()
    await page.getByLabel('Control token').fill(secret)
    await page.getByRole('button', { name: 'Open', exact: true }).click()

    await page.locator('[data-connection=live]').waitFor()
    await page.reload()
    await page.locator('[data-connection=live]').waitFor()
    expect(await page.getByLabel('Control token').count()).toBe(0)
    const other = await browser.newPage()
    await other.goto(url)
    await other.getByText('This mock has a control token.').waitFor()
    expect(mock.journal.find()).toEqual([])
  })

  it('takes the token from the fragment of its address, and removes it there, also without storage', async ({
    browser,
  }) => {
    const { url } = await serve()
    const page = await browser.newPage()
    // As a browser that blocks all cookies.
    await page.addInitScript(() => {
      const get = () => {
        throw new DOMException('Access is denied for this document.', 'SecurityError')
      }
      for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { get })
    })
    const asked: string[] = []
    page.on('request', request => asked.push(request.url()))

    await page.goto(`${url}/#token=${secret}`)
    await page.locator('[data-connection=live]').waitFor()

    expect(page.url()).toBe(`${url}/`)
    expect(await page.evaluate(() => history.length)).toBeLessThanOrEqual(2)
    expect(asked.filter(address => address.includes(secret) && !address.includes('#token='))).toEqual([])
  })

  it('works from another machine: its changes, its streams, and its past requests', async ({ browser }) => {
    const { mock, url, port } = await serve()
    const page = await browser.newPage()
    await page.goto(`http://other.example:${port}/#token=${secret}`)
    await page.locator('[data-connection=live]').waitFor()

    await fetch(`${url}/matchmaker/lobbies/list`)
    await page.locator('b.operation', { hasText: 'lobbies.list' }).first().click()
    await page.getByRole('button', { name: 'Send again' }).click()
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('region', { name: 'The old and the new answer' }).waitFor()

    expect(mock.journal.find()).toHaveLength(2)
  })
})
