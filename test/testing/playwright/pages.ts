import { expect, type Frame, type Page } from '@playwright/test'
import type { PageMock } from '../../../src/testing/playwright/index.js'

/** The URL at which the pages call the matchmaker. No server is there. */
export const matchmaker = 'https://matchmaker.example'

export const list = '/matchmaker/lobbies/list'
export const find = '/matchmaker/lobbies/find'

/** Opens an empty page of an origin without a server. Default: an origin of this machine, which every mock allows. */
export async function openPage(page: Page, origin = 'http://app.localhost'): Promise<void> {
  await page.context().route(`${origin}/app`, route => route.fulfill({ contentType: 'text/html', body: html }))
  await page.goto(`${origin}/app`)
}

const html = '<!doctype html><title>app</title><link rel="icon" href="data:,"><body></body>'

/** The response to a `fetch` of a page. */
interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Options of `fetch` that Playwright can send to a page. */
type Init = Omit<RequestInit, 'body'> & { readonly body?: string }

/** Sends a request with `fetch` of a page. Rejects as `fetch` does. */
export function send(page: Page | Frame, path: string, init: Init = {}): Promise<Answer> {
  return page.evaluate(
    async ({ url, init }) => {
      const response = await fetch(url, init)
      return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() }
    },
    { url: matchmaker + path, init },
  )
}

/** Returns the number of lobbies that a page sees. */
export async function countLobbies(page: Page | Frame): Promise<number> {
  const { body } = await send(page, list)
  return JSON.parse(body).lobbies.length
}

declare global {
  /** In a page: aborts the watch of `block`. */
  var watching: AbortController
  /** In a page: the end of the watch of `block`: its status, or the name of its error. */
  var watched: Promise<number | string>
}

/** Sends a watch that blocks, and does not wait for it. */
export async function block(page: Page | Frame, mock: PageMock): Promise<void> {
  const { device_link_token } = await mock.world.deviceLinks.create({})
  const path = `/cloud/devices/links?device_link_token=${device_link_token}`
  const { watch } = JSON.parse((await send(page, path)).body)
  const before = await mock.journal.pending()
  const blocked = mock.blocked(before.length + 1)
  await page.evaluate(url => {
    globalThis.watching = new AbortController()
    globalThis.watched = fetch(url, { signal: globalThis.watching.signal }).then(
      ({ status }) => status,
      ({ name }: Error) => name,
    )
  }, `${matchmaker}${path}&watch_index=${watch.index}`)
  await blocked
}

/** Waits until exactly that many requests of a world are blocked. */
export async function expectPending(mock: PageMock, count: number): Promise<void> {
  await expect.poll(async () => (await mock.journal.pending()).length).toBe(count)
}
