// @ts-check
import { atMost, ratio } from '../aim.js'
import { alternate, medians } from '../rounds.js'
import { command, onPort, withServers } from '../servers.js'
import { withBrowser } from './browser.js'

const rounds = 11
const args = (/** @type {number} */ port) => ['friday-night', '--port', String(port)]

/**
 * The first paint of the dashboard, and of an empty page: a warm browser, each time with a fresh profile.
 *
 * @returns {Promise<import('../table.js').Table>}
 */
export function measurePaint() {
  return withServers(async start => {
    const program = new URL('../yardsticks/empty-page-server.js', import.meta.url)
    const servers = [
      await start({ name: 'the dashboard of friday-night', program: command, args, path: '/' }),
      await start({ name: 'an empty page of node:http', program, args: onPort(), path: '/' }),
    ]
    const runs = await withBrowser(async browser => {
      for (const { url } of servers) await paintOnce(browser, url)
      return alternate(servers, { rounds, run: ({ url }) => paintOnce(browser, url) })
    })
    const figures = [...runs].map(([{ name }, times]) => ({ page: name, 'first paint ms': medians(times).ms }))
    const empty = figures[1]?.['first paint ms'] ?? Number.NaN
    const rows = figures.map(row => ({
      ...row,
      '× empty': ratio(row['first paint ms'], empty),
      'ms longer': row['first paint ms'] - empty,
    }))
    return {
      title: `the first paint of a page; medians of ${rounds} rounds`,
      rows,
      aims: [
        atMost('the first paint, longer than of an empty page', {
          most: 150,
          value: rows[0]?.['ms longer'],
          unit: 'ms',
        }),
      ],
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
