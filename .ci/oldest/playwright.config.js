const { CHROMIUM: executablePath = '/usr/bin/chromium-headless-shell' } = process.env

export default {
  testMatch: 'playwright.spec.ts',
  use: { launchOptions: { executablePath, args: ['--no-sandbox', '--disable-gpu'] } },
}
