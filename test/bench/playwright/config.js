// @ts-check
import { defineConfig } from '@playwright/test'

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'

export default defineConfig({
  testDir: '.',
  testMatch: '*.e2e.js',
  workers: 1,
  reporter: 'json',
  use: { launchOptions: { executablePath, args: ['--no-sandbox', '--disable-gpu'] } },
})
