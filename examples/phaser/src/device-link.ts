import { call, service } from './matchmaker.ts'

interface Prepared {
  readonly device_link_token: string
  readonly device_link_url: string
}

/** Begins a link: a person opens the URL, and agrees. */
export function prepareLink(): Promise<Prepared> {
  return call('/cloud/devices/links', {})
}

const sleep = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))
// 0.25 s, 0.5 s, 1 s, 2 s, and then 4 s.
const growing = (n: number) => 250 * 2 ** Math.min(n, 4)

/** Waits until the link is completed. Returns the cloud token. Throws if the service refuses the link. */
export async function waitForCloudToken(token: string): Promise<string> {
  const query = new URLSearchParams({ device_link_token: token })
  let [failures, fast] = [0, 0]
  for (;;) {
    const askedAt = performance.now()
    const { response, text } = await ask(`${service}/cloud/devices/links?${query}`)
    if (response?.ok) {
      const { cloud_token, watch } = JSON.parse(text)
      if (cloud_token) return cloud_token
      if (watch.index) query.set('watch_index', watch.index)
      else query.delete('watch_index')
      failures = 0
      // A watch that answers at once, again and again, must not make a busy loop. One late answer does not end the pauses.
      const isFast = performance.now() - askedAt < 400
      fast = isFast ? fast + 1 : Math.max(0, fast - 1)
      if (isFast && fast > 1) await sleep(growing(fast - 2))
    } else if (response && response.status < 500 && response.status !== 429) {
      throw new Error(JSON.parse(text).code)
    } else {
      const seconds = Number(response?.headers.get('retry-after') ?? 0)
      await sleep(Math.max(growing(failures++), seconds * 1000))
    }
  }
}

// The service answers within 40 s. After 60 s the connection is dead.
async function ask(url: string) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(60_000) })
    return { response, text: await response.text() }
  } catch {
    return { response: undefined, text: '' }
  }
}
