import { defineConfig } from '@playwright/test'

// CHROMIUM names an installed browser. Otherwise install one: npx playwright install chromium.
const { CHROMIUM: executablePath } = process.env
const url = 'http://localhost:5183'

export default defineConfig({
  testDir: 'e2e',
  workers: 1,
  // Vite bundles Phaser for the first page, which takes long on a busy machine.
  timeout: 120_000,
  expect: { timeout: 30_000 },
  use: {
    baseURL: url,
    launchOptions: executablePath === undefined ? {} : { executablePath, args: ['--no-sandbox'] },
  },
  webServer: {
    // With a mode of its own, Vite lets it run beside `npm run dev`.
    command: 'npx vite --port 5183 --strictPort --mode e2e',
    url,
    // The mock ends its game servers.
    gracefulShutdown: { signal: 'SIGTERM', timeout: 10_000 },
  },
})
