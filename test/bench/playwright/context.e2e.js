// @ts-check
import { test } from '@playwright/test'
import { answer, askForList, count, matchmaker } from './list.js'

for (let i = 0; i < count; i++)
  test(`asks ${i}`, async ({ context, page }) => {
    await context.route(`${matchmaker}/**`, route => route.fulfill({ json: answer }))
    await askForList(page)
  })
