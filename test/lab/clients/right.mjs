// Waits for a device link, and prints its cloud token.
import { setTimeout as delay } from 'node:timers/promises'

const links = `${process.env.MOCKMAKER_URL}/cloud/devices/links`
const query = new URLSearchParams({ device_link_token: process.env.MOCKMAKER_LINK_TOKEN ?? '' })
const growing = n => Math.min(250 * 2 ** n, 4_000)

async function ask() {
  try {
    const response = await fetch(`${links}?${query}`, { signal: AbortSignal.timeout(60_000) })
    return { response, text: await response.text() }
  } catch {
    return {}
  }
}

async function waitForCloudToken() {
  for (let [failures, atOnce] = [0, 0]; ; ) {
    const askedAt = performance.now()
    const { response, text } = await ask()
    if (response?.ok) {
      const { cloud_token, watch } = JSON.parse(text)
      if (cloud_token) return cloud_token
      if (watch.index) query.set('watch_index', watch.index)
      else query.delete('watch_index')
      failures = 0
      atOnce = performance.now() - askedAt < 400 ? atOnce + 1 : 0
      if (atOnce > 1) await delay(growing(atOnce - 2))
    } else if (response && response.status < 500 && response.status !== 429) {
      throw new Error(`the service refused the link: ${text}`)
    } else {
      const seconds = Number(response?.headers.get('retry-after') ?? 0)
      await delay(Math.max(growing(failures++), seconds * 1_000))
    }
  }
}

try {
  console.log(await waitForCloudToken())
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
