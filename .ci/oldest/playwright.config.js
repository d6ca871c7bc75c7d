const { CHROMIUM: executablePath = '/usr/bin/chromium-headless-shell' } = process.env

export default {
  testMatch: 'playwright.spec.ts',
  timeout: 120_000,
  expect: { timeout: 30_000 },
  use: { launchOptions: { executablePath, args: ['--no-sandbox', '--disable-gpu'] } },
}
