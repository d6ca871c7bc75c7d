import { defineConfig } from '@playwright/test'
import type { PageMockOptions } from 'mockmaker/playwright'

// CHROMIUM names an installed browser. Otherwise install one: npx playwright install chromium.
const { CHROMIUM: executablePath } = process.env

export default defineConfig<PageMockOptions>({
  testDir: 'tests',
  fullyParallel: true,
  workers: 2,
  timeout: 120_000,
  expect: { timeout: 30_000 },
  use: {
    baseURL: 'http://localhost:3000',
    launchOptions: executablePath === undefined ? {} : { executablePath, args: ['--no-sandbox'] },
    // Where the app calls the matchmaker. No server is there.
    matchmaker: 'https://matchmaker.example',
    scenario: 'scenario.mockmaker.yaml',
  },
})
