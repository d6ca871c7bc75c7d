// @ts-check
import { atMost, ratio } from '../aim.js'
import { crowdOf } from '../life/crowd.js'
import { alternate, median, medians } from '../rounds.js'
import { withFiles } from '../scenario.js'
import { onPort, withServers } from '../servers.js'

const players = 5_000
const requests = 100_000
const rounds = 9
/** The number of tokens that are asked for, from the oldest to the newest. */
const asked = 40

/**
 * The story of a player by its token, among many: old ones, whose world has changed much since, and new ones.
 *
 * @returns {Promise<import('../table.js').Table>}
 */
export function measureByToken() {
  return withFiles(write =>
    withServers(async start => {
      const file = write('scenario.json', { ...crowdOf(100), clock: 'frozen' })
      const args = onPort(String(players), String(requests), file)
      const program = new URL('stories-server.js', import.meta.url)
      const { url, cpuMs } = await start({ name: 'the mock', program, args, path: '/' })
      const subjects = [
        { name: 'among 10, after 50 requests', stories: await storiesOf(`${url}/w/few`) },
        { name: 'among 5,000, after 100,000 requests', stories: await storiesOf(url) },
      ]
      const runs = await alternate(subjects, { rounds, run: ({ stories }) => tellAll(stories, cpuMs) })
      const results = [...runs].map(([{ name }, figures]) => ({ name, ...medians(figures) }))
      const [few, many] = results
      return {
        title: `a story by its token, over HTTP; medians of ${rounds} rounds of ${asked} tokens`,
        rows: results.map(({ name, ms, slowestMs, cpuMs }) => ({
          story: name,
          ms,
          '× few': ratio(ms, few?.ms),
          'CPU ms': cpuMs,
          'slowest ms': slowestMs,
        })),
        aims: [atMost('the slowest story among 5,000', { most: 50, value: many?.slowestMs, unit: 'ms' })],
      }
    }),
  )
}

/**
 * Lists the URLs of some stories of a world, evenly spread over all.
 *
 * @param {string} world
 */
async function storiesOf(world) {
  const tokens = []
  /** @type {number | undefined} */
  let before
  do {
    const page = await json(`${world}/__mock/stories?limit=500${before === undefined ? '' : `&before=${before}`}`)
    tokens.push(...page.stories.map((/** @type {{ token: string }} */ { token }) => token))
    before = page.next
  } while (before !== undefined)
  const step = Math.max(1, tokens.length / asked)
  const chosen = Array.from({ length: Math.min(asked, tokens.length) }, (_, i) => tokens[Math.floor(i * step)])
  return chosen.map(token => `${world}/__mock/stories/${token}`)
}

/**
 * @param {readonly string[]} stories
 * @param {() => number | undefined} cpuMs The server's.
 */
async function tellAll(stories, cpuMs) {
  const before = cpuMs()
  const times = []
  for (let i = 0; i < asked; i++) times.push(await tell(stories[i % stories.length] ?? ''))
  const after = cpuMs()
  const cpu = before === undefined || after === undefined ? undefined : (after - before) / asked
  return { ms: median(times), slowestMs: Math.max(...times), ...(cpu === undefined ? {} : { cpuMs: cpu }) }
}

/** @param {string} story */
async function tell(story) {
  const startedAt = performance.now()
  const { steps } = await json(story)
  const ms = performance.now() - startedAt
  if (steps[0]?.reasons?.candidates === undefined) throw new Error(`${story} does not say why its find got its lobby`)
  return ms
}

/**
 * @param {string} url
 * @returns {Promise<any>}
 */
async function json(url) {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url} answers ${response.status}: ${await response.text()}`)
  return response.json()
}
