import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'

/** The page of a copy, opened from its file. */
interface OpenCopy {
  readonly page: Page
  /** What the browser reported: errors, and what the policy of the page forbids. */
  readonly complaints: readonly string[]
  /** The URLs that the page asked for, besides its own. */
  readonly requests: readonly string[]
}

interface CopyOptions {
  readonly size?: { readonly width: number; readonly height: number }
  /** The query of the address. Default: none. */
  readonly query?: string
  /** Changes the browser before the page opens. */
  readonly prepare?: (page: Page) => Promise<unknown>
  /** The text of a selector that appears when the page is open. Default: that of its world. */
  readonly until?: string
}

/** Writes the file of a copy, and opens it in a new window. */
export async function openCopy(
  browser: Browser,
  html: string,
  {
    size = { width: 1280, height: 900 },
    query = '',
    prepare,
    until = '[data-connection=live][aria-busy=false]',
  }: CopyOptions = {},
): Promise<OpenCopy> {
  const folder = mkdtempSync(join(tmpdir(), 'copy-'))
  const file = join(folder, 'bug.html')
  writeFileSync(file, html)
  const context = await browser.newContext({ viewport: size, reducedMotion: 'reduce', permissions: [] })
  onTestFinished(async () => {
    await context.close()
    rmSync(folder, { recursive: true })
  })
  const page = await context.newPage()
  const complaints: string[] = []
  const requests: string[] = []
  const url = pathToFileURL(file).href + query
  page.on('console', message => void complaints.push(message.text()))
  page.on('pageerror', error => void complaints.push(error.message))
  const note = (asked: string) => asked !== url && !/^(data|blob):/.test(asked) && requests.push(asked)
  page.on('requestfinished', request => note(request.url()))
  // The policy of the page keeps it from the network, and the console says so.
  page.on('requestfailed', request => request.failure()?.errorText !== 'csp' && note(request.url()))
  await prepare?.(page)
  await page.goto(url)
  await page.locator(until).first().waitFor()
  return { page, complaints, requests }
}
