import { defineConfig } from '@playwright/test'
import { expect, it } from 'vitest'
import type { PageMockOptions } from '../../../src/testing/playwright/index.js'

// The compiler checks this test: `npm run typecheck`.
it('the configuration of Playwright takes the options, by their type', () => {
  const { use } = defineConfig<PageMockOptions>({
    use: {
      baseURL: 'http://localhost:3000',
      matchmaker: 'https://matchmaker.example',
      scenario: 'friday-night',
      seed: 1,
    },
  })
  // @ts-expect-error Without the type, Playwright knows only its own options.
  defineConfig({ use: { matchmaker: 'https://matchmaker.example' } })

  expect(use).toMatchObject({ matchmaker: 'https://matchmaker.example', scenario: 'friday-night' })
})
