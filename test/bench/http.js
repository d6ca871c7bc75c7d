// @ts-check
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { alternate, medians } from './rounds.js'
import { scenarioOf, tokens, withFiles } from './scenario.js'
import { startServer } from './server-process.js'
import { figure } from './table.js'

const rounds = 4
const secondsEach = 2
const warmUpSeconds = 1
const connections = 50
const lobbies = 20
const path = '/matchmaker/lobbies/list'
const command = new URL('../../dist/cli.js', import.meta.url)
const userApp = new URL('user-app.js', import.meta.url)
const bareExpress = new URL('yardsticks/express-server.js', import.meta.url)
const bareHttp = new URL('yardsticks/http-server.js', import.meta.url)

/**
 * The list of lobbies, the same bytes from all: the command with its default flags, `mockExpress` in an app, bare Express
 * and bare node:http.
 *
 * @returns {Promise<import('./table.js').Table>}
 */
export function measureHttp() {
  return withFiles(async write => {
    const scenario = write('scenario.json', scenarioOf(lobbies))
    const ours = await startServer({ name: 'the command', program: command, args: at(scenario), path })
    const list = await listOf(ours.url)
    const file = write('list.json', list)
    const servers = [
      await startServer({ name: 'bare Express, res.json', program: bareExpress, args: inFile(file), path }),
      ours,
      await startServer({ name: 'mockExpress in an Express app', program: userApp, args: inFile(scenario), path }),
      await startServer({ name: 'bare node:http, JSON.stringify', program: bareHttp, args: inFile(file), path }),
    ]
    try {
      for (const { url } of servers) await checkSame(list, await listOf(url))
      for (const { url } of servers) await hammer(url, warmUpSeconds)
      return tableOf(await alternate(servers, { rounds, run: measure }), JSON.stringify(list).length)
    } finally {
      await Promise.all(servers.map(server => server.end()))
    }
  })
}

/** @param {string} scenario */
const at = scenario => (/** @type {number} */ port) => [scenario, '--port', String(port)]

/** @param {string} file */
const inFile = file => (/** @type {number} */ port) => [String(port), file]

/** @typedef {{ readonly perSecond: number, readonly cpuUs: number | undefined, readonly p99: number }} Figures */

/**
 * @param {import('./server-process.js').ServerProcess} server
 * @returns {Promise<Figures>}
 */
async function measure(server) {
  const before = server.cpuMs()
  const { requests, latency } = await hammer(server.url, secondsEach)
  const after = server.cpuMs()
  const cpuUs = before === undefined || after === undefined ? undefined : ((after - before) * 1000) / requests.total
  return { perSecond: requests.average, cpuUs, p99: latency.p99 }
}

/**
 * Autocannon in a process of its own, so that this one is free to read what the command prints.
 *
 * @param {string} url
 * @param {number} seconds
 */
async function hammer(url, seconds) {
  const autocannon = fileURLToPath(import.meta.resolve('autocannon'))
  const header = `authorization=Bearer ${tokens.public}`
  const args = [autocannon, '-j', '-n', '-c', `${connections}`, '-d', `${seconds}`, '-H', header, `${url}${path}`]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  const result = JSON.parse(stdout)
  if (result.non2xx + result.errors > 0) throw new Error(`${url}: ${result.non2xx} answers are no 2xx`)
  return result
}

/** @param {string} url */
async function listOf(url) {
  const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${tokens.public}` } })
  return response.json()
}

/**
 * @param {unknown} expected
 * @param {unknown} list
 */
function checkSame(expected, list) {
  if (JSON.stringify(list) !== JSON.stringify(expected)) throw new Error('the servers do not answer the same list')
}

/**
 * @param {Map<import('./server-process.js').ServerProcess, Figures[]>} runs
 * @param {number} bytes
 * @returns {import('./table.js').Table}
 */
function tableOf(runs, bytes) {
  const results = [...runs].map(([{ name }, figures]) => ({ name, ...medians(figures) }))
  const [express] = results
  const rows = results.map(({ name, perSecond, cpuUs, p99 }) => ({
    server: name,
    'requests/s': perSecond,
    'to Express': perSecond / (express?.perSecond ?? 0),
    'server CPU µs/request': cpuUs,
    // On a busy machine this is the figure to trust: a core that is shared with others still counts its time.
    'CPU to Express': cpuUs === undefined ? undefined : cpuUs / (express?.cpuUs ?? 0),
    'p99 ms': p99,
  }))
  const aims = rows.slice(1, 3).map(({ server, 'to Express': speed, 'CPU to Express': time = 1 / speed }) => ({
    aim: `${server}: no slower than bare Express`,
    met: time <= 1,
    measured: `${figure(time)} times its processor time a request, ${figure(speed)} times its requests/s`,
  }))
  return {
    title: `http: ${lobbies} lobbies, ${bytes} bytes of JSON, ${connections} connections; medians of ${rounds} rounds of ${secondsEach} s`,
    rows,
    aims,
  }
}
