import { expect, it } from 'vitest'
import { dashboard } from '#lazy'

/** The most bytes of the page with its script and its style, in gzip. */
const mostBytes = 75_000

it('the dashboard has at most 75 KB in gzip', () => {
  expect(Buffer.from(dashboard(), 'base64').length).toBeLessThanOrEqual(mostBytes)
})
