import { statSync } from 'node:fs'
import { expect, it } from 'vitest'

/** The most bytes of the page with its script and its style, in gzip. */
const mostBytes = 75_000

it('the dashboard has at most 75 KB in gzip', () => {
  expect(statSync('dist/dashboard.html.gz').size).toBeLessThanOrEqual(mostBytes)
})
