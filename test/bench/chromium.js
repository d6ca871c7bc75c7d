// @ts-check
import { existsSync } from 'node:fs'

const installed = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find(path => existsSync(path))

/** The browser of Debian's packages. CHROMIUM can name another path. */
export const executablePath = process.env.CHROMIUM ?? installed ?? '/usr/bin/chromium-headless-shell'

/** Without a sandbox, because a container has none, and without a GPU. */
export const args = ['--no-sandbox', '--disable-gpu']
