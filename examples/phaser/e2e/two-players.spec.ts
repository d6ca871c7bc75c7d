import { expect, type Page, test } from '@playwright/test'

async function play(page: Page): Promise<void> {
  await page.goto('/')
  await page.getByLabel('Game mode').selectOption('arena')
  await page.getByLabel('Region').selectOption('Frankfurt')
  await page.getByRole('button', { name: 'Play' }).click()
  await expect(page.getByRole('status')).toHaveText('You play in Frankfurt.')
}

const playersOf = (page: Page) => page.getByRole('list', { name: 'Players' }).getByRole('listitem')

test('two players meet on the game server of one lobby, and see each other move', async ({ page, browser }) => {
  await play(page)
  await expect(playersOf(page)).toHaveText(['you at 110, 150'])
  const other = await browser.newPage()
  await play(other)
  await expect(playersOf(page)).toHaveText(['you at 110, 150', 'other at 170, 150'])

  await other.locator('#game canvas').click()
  await other.keyboard.press('ArrowUp')
  await other.keyboard.press('ArrowLeft')

  await expect(playersOf(page)).toHaveText(['you at 110, 150', 'other at 160, 140'])
  await expect(playersOf(other)).toHaveText(['other at 110, 150', 'you at 160, 140'])
  await other.close()
  await expect(playersOf(page)).toHaveText(['you at 110, 150'])
  const { warnings } = await (await page.request.get('/mm/__mock/warnings')).json()
  expect(warnings).toEqual([])
})

test('a device is linked when somebody completes its link', async ({ page, browser }) => {
  await page.goto('/')
  await page.getByRole('button', { name: 'Link this device' }).click()
  await expect(page.locator('#code')).toBeVisible()
  const url = (await page.getByRole('link', { name: 'open this page' }).getAttribute('href')) ?? ''

  const phone = await browser.newPage()
  await phone.goto(url)
  await phone.getByRole('button').first().click()

  await expect(page.getByText('This device is linked.')).toBeVisible()
  await expect(page.locator('#code')).toBeHidden()
})
