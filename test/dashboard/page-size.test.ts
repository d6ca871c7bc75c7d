import { expect, it } from 'vitest'
import { dashboard } from '#lazy'
import { createMockmaker } from '../../src/index.js'

/** The most bytes of the page with its script and its style, in gzip. */
const mostBytes = 86_000

it('the dashboard has at most 86 KB in gzip', () => {
  expect(Buffer.from(dashboard(), 'base64').length).toBeLessThanOrEqual(mostBytes)
})

it('a capsule of the default scenario has at most 420 KB', async () => {
  expect((await createMockmaker({ seed: 1 }).capsule()).length).toBeLessThanOrEqual(420_000)
})
