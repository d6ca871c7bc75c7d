import { storybookTest } from '@storybook/addon-vitest/vitest-plugin'
import react from '@vitejs/plugin-react'
import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'

// CHROMIUM names an installed browser. Otherwise install one: npx playwright install chromium.
const { CHROMIUM: executablePath } = process.env
const launchOptions = executablePath === undefined ? {} : { executablePath, args: ['--no-sandbox'] }

export default defineConfig({
  plugins: [react(), storybookTest({ configDir: '.storybook' })],
  // Otherwise Vite finds it while the tests run, and loads their page anew.
  optimizeDeps: { include: ['mockmaker/storybook/preview'] },
  test: {
    setupFiles: ['.storybook/vitest.setup.js'],
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      provider: playwright({ launchOptions }),
      instances: [{ browser: 'chromium' }],
    },
  },
})
