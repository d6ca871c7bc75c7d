import { spawn } from 'node:child_process'
import { UsageError } from '../lib/usage-error.js'

/** The program that opens a URL in the browser, and its arguments. No shell sees the URL. */
export function browserCommand(url: string, platform: NodeJS.Platform): readonly [name: string, ...args: string[]] {
  if (platform === 'darwin') return ['open', url]
  if (platform === 'win32') return ['rundll32.exe', 'url.dll,FileProtocolHandler', url]
  return ['xdg-open', url]
}

/** Opens a URL in the browser. Resolves when the program that does it has ended. Rejects with `UsageError` where it fails. */
export function openInBrowser(url: string, platform = process.platform): Promise<void> {
  const [name, ...args] = browserCommand(url, platform)
  return new Promise((resolve, reject) => {
    const fail = (reason: string) =>
      reject(new UsageError(`cannot open a browser: ${reason}. Open this URL yourself: ${url}`))
    const child = spawn(name, args, { detached: true, stdio: 'ignore' })
    // Neither the end of the mock nor Ctrl+C ends the browser.
    child.unref()
    child.once('error', () => fail(`${name} cannot be run`))
    child.once('exit', code => (code === 0 || code === null ? resolve() : fail(`${name} ended with ${code}`)))
  })
}
