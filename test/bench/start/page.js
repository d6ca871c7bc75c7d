// @ts-check
import { fileURLToPath } from 'node:url'
import { atMost, ratio } from '../aim.js'
import { pageSize } from './page-size.js'

const pathOf = (/** @type {string} */ url) => JSON.stringify(fileURLToPath(url))
const own = `export * from ${pathOf(new URL('../../../dist/msw/browser.js', import.meta.url).href)}`
/** What a page imports for handlers of its own. */
const handlers = `export { http, HttpResponse } from ${pathOf(import.meta.resolve('msw'))}
export { setupWorker } from ${pathOf(import.meta.resolve('msw/browser'))}`

/**
 * What a page loads for `mockmaker/browser`: bundled, minified, after gzip.
 *
 * @returns {Promise<import('../table.js').Table>}
 */
export async function measurePage() {
  const kib = async (/** @type {string} */ script, options = {}) =>
    Math.round((await pageSize(script, options)) / 102.4) / 10
  const rows = [
    {
      page: 'mockmaker/browser with msw',
      KiB: await kib(own),
      'KiB in Vite 8': await kib(own, { inlineConst: true }),
    },
    { page: 'mockmaker/browser without msw', KiB: await kib(own, { external: /^msw/ }) },
    {
      page: 'handlers with msw',
      KiB: await kib(handlers),
      'KiB in Vite 8': await kib(handlers, { inlineConst: true }),
    },
  ]
  const [both, , alone] = rows
  return {
    title: 'the size of a page: one bundle of rolldown, minified, gzip',
    rows,
    aims: [
      atMost('mockmaker/browser with msw', {
        ...{ most: 280, value: both?.KiB, unit: 'KiB' },
        beside: `${ratio(both?.KiB, alone?.KiB)?.toFixed(1)} × handlers with msw`,
      }),
    ],
  }
}
