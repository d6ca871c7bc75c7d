import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'

/** The most bytes of the page with its script and its style, in gzip. */
const mostBytes = 60_000

it('the dashboard has at most 60 KB in gzip', () => {
  expect(gzipSync(readFileSync('dist/dashboard.html'), { level: 9 }).length).toBeLessThanOrEqual(mostBytes)
})
