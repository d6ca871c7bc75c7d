// @ts-check
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from '@playwright/test'
import { args, executablePath } from '../chromium.js'

export default defineConfig({
  testDir: '.',
  testMatch: '*.e2e.js',
  workers: 1,
  outputDir: join(tmpdir(), 'mockmaker-bench-playwright'),
  reporter: 'json',
  use: { launchOptions: { executablePath, args } },
})
