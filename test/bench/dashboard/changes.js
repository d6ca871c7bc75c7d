// @ts-check
import { atLeast, atMost } from '../aim.js'
import { median } from '../rounds.js'
import { scenarioOf, withFiles } from '../scenario.js'
import { onPort, withServers } from '../servers.js'
import { openDashboard, withBrowser } from './browser.js'

const lobbies = 10_000
const seconds = 10
const rate = 1_000
/** Between two clicks, in ms. */
const pauseMs = 300

/**
 * A dashboard with many lobbies, without changes and with many: the renderer's processor time, and then the time from a click on
 * a lobby to the paint that shows it. Throws if the page does not show the last change.
 *
 * @returns {Promise<import('../table.js').Table>}
 */
export function measureChanges() {
  return withFiles(write =>
    withServers(async start => {
      const args = onPort(write('scenario.json', scenarioOf({ lobbies })))
      const program = new URL('changes-server.js', import.meta.url)
      const { url } = await start({ name: 'the mock', program, args, path: '/' })
      const rows = await withBrowser(async browser => {
        const page = await openDashboard(browser, url)
        await page.getByRole('grid', { name: '10,000 lobbies' }).waitFor()
        return [await measure(page, { url, rate: 0 }), await measure(page, { url, rate })]
      })
      const changed = rows[1]
      return {
        title: `a dashboard with ${lobbies} lobbies; ${rate} change sets a second for ${seconds} s`,
        rows,
        aims: [
          atLeast('change sets', { least: 0.95 * rate, value: changed?.['changes/s'], unit: 'a second' }),
          atMost('CPU of the renderer', { most: 40, value: changed?.['renderer CPU %'], unit: '% of a core' }),
          atMost('from a click to the paint of the lobby, median', {
            most: 100,
            value: changed?.['click ms'],
            unit: 'ms',
          }),
        ],
      }
    }),
  )
}

/**
 * @param {import('playwright-core').Page} page
 * @param {{ readonly url: string, readonly rate: number }} options
 */
async function measure(page, { url, rate }) {
  const target = `${url}/bench/changes?seconds=${seconds}&rate=${rate}`
  const cpu = await processTime(page)
  const [before, startedAt] = [await cpu(), performance.now()]
  const { perSecond, revision } = await change(target)
  const cpuPercent = (((await cpu()) - before) * 100_000) / (performance.now() - startedAt)
  await shows(page, revision)

  let isOver = false
  const changes = change(target).finally(() => {
    isOver = true
  })
  const [clicks, clicked] = await Promise.all([clickUntil(page, () => isOver), changes])
  await shows(page, clicked.revision)
  return {
    page: rate === 0 ? 'without changes' : 'with changes',
    'changes/s': perSecond,
    'renderer CPU %': cpuPercent,
    'click ms': median(clicks),
    'slowest click ms': Math.max(...clicks),
  }
}

/**
 * Lets the mock change lobbies.
 *
 * @param {string} url
 * @returns {Promise<{ readonly perSecond: number, readonly revision: number }>}
 */
async function change(url) {
  const response = await fetch(url)
  return response.json()
}

/**
 * Waits until the page shows a revision.
 *
 * @param {import('playwright-core').Page} page
 * @param {number} revision
 */
async function shows(page, revision) {
  if (revision > 0) await page.locator(`[role=slider][aria-valuemax="${revision}"]`).waitFor({ timeout: 2_000 })
}

/** @param {import('playwright-core').Page} page */
async function processTime(page) {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'ProcessTime')?.value ?? Number.NaN
  }
}

/**
 * @param {import('playwright-core').Page} page
 * @param {() => boolean} isOver
 */
async function clickUntil(page, isOver) {
  const clicks = []
  while (!isOver()) {
    clicks.push(await clickOnce(page))
    await page.waitForTimeout(pauseMs)
  }
  return clicks
}

/**
 * Opens a lobby, and closes it. Returns the time from the click to the paint that shows the lobby, in ms.
 *
 * @param {import('playwright-core').Page} page
 */
async function clickOnce(page) {
  const row = page.locator('.lobbies [role=row]').nth(3)
  const box = await row.boundingBox()
  if (!box) throw new Error('the dashboard shows no lobbies')
  await page.evaluate(() => {
    const painted = new Promise(resolve => {
      const paint = (/** @type {number} */ clickedAt) =>
        requestAnimationFrame(() => {
          if (document.querySelector('.details')) setTimeout(() => resolve(performance.now() - clickedAt))
          else paint(clickedAt)
        })
      addEventListener('click', ({ timeStamp }) => paint(timeStamp), { once: true, capture: true })
    })
    Object.assign(globalThis, { painted })
  })
  await page.mouse.click(box.x + 40, box.y + box.height / 2)
  const ms = await page.evaluate(
    () => /** @type {{ painted: Promise<number> }} */ (/** @type {unknown} */ (globalThis)).painted,
  )
  await page.keyboard.press('Escape')
  return ms
}
