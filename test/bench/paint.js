// @ts-check
import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { atMost, measureInTurn, ratio } from './figures.js'
import { command, serving, withServers, yardstick } from './processes.js'

const installed = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find(path => existsSync(path))
const executablePath = process.env.CHROMIUM ?? installed ?? '/usr/bin/chromium-headless-shell'

/** The first paint of the dashboard, each time with a fresh profile. @returns {Promise<import('./figures.js').Table>} */
export function measurePaint() {
  return withServers(async start => {
    const servers = [
      await start({ program: command, args: serving('friday-night'), path: '/' }),
      await start({ ...yardstick('page'), path: '/' }),
    ]
    // A container has no sandbox and no GPU.
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
    try {
      for (const { url } of servers) await paintOnce(browser, url)
      const figures = await measureInTurn(servers, { rounds: 11, run: ({ url }) => paintOnce(browser, url) })
      const [ours, empty] = figures
      return {
        title: 'the first paint of a page; medians of 11',
        rows: ['the dashboard of friday-night', 'a page of one word'].map((page, i) => ({ page, ...figures[i] })),
        aim: atMost('first paint', { most: 4, value: ratio(ours?.ms, empty?.ms), unit: '× a page of one word' }),
      }
    } finally {
      await browser.close()
    }
  })
}

/**
 * @param {import('playwright-core').Browser} browser
 * @param {string} url
 */
async function paintOnce(browser, url) {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(url)
  const ms = await page.evaluate(
    () =>
      /** @type {Promise<number>} */ (
        new Promise(resolve => {
          new PerformanceObserver(list => {
            const paint = list.getEntriesByName('first-contentful-paint')[0]
            if (paint) resolve(paint.startTime)
          }).observe({ type: 'paint', buffered: true })
        })
      ),
  )
  await context.close()
  return { ms }
}
