import { expect } from 'vitest'
import { it } from '../support/dashboard-page.js'
import { ok, request, sendTo } from '../support/http.js'
import { serveReplica, sharedModel } from '../support/served-replicas.js'

it('shows the world of another replica, and who runs which world', async ({ browser }) => {
  const model = sharedModel()
  const [owner, other] = [await serveReplica(model), await serveReplica(model)]
  ok(await sendTo(owner.url, request('GET', '/__mock/world')))
  const page = await browser.newPage()
  await page.goto(other.url)
  await page.locator('[data-connection=live]').waitFor()

  await page.getByRole('button', { name: /^World: default/ }).press('Enter')

  const { host } = new URL(owner.url)
  await page.getByRole('button', { name: new RegExp(`^default Tanks .* at ${host}$`) }).waitFor()
  const text = await page.getByText(/^2 replicas: /).textContent()
  await page.close()
  expect(text).toContain(`${host} with 1 world`)
  expect(text).toContain(`${new URL(other.url).host} with 0 worlds (this page)`)
})
