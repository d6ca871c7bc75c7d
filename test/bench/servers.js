// @ts-check
import { inEachCommit } from './program.js'
import { startServer } from './server-process.js'

/** The command as it is installed. */
export const command = new URL('../../dist/cli.js', import.meta.url)

/**
 * The arguments of the command: all flags as by default, but for the port.
 *
 * @param {string} scenario A file.
 */
export const serving = scenario => (/** @type {number} */ port) => [scenario, '--port', String(port)]

/**
 * Starts the command, and that of the other commit if there is one, as targets of a request.
 *
 * @template {Omit<import('./http/load.js').Target, 'name' | 'server'>} Request
 * @param {typeof startServer} start
 * @param {Pick<import('./server-process.js').ServerOptions, 'args' | 'path'>} options
 * @param {Request} request
 */
export async function commandTargets(start, options, request) {
  const [own, ...others] = inEachCommit(command)
  const target = async (/** @type {string} */ name, /** @type {URL} */ program) => {
    const server = await start({ name, program, ...options })
    return { name, server, ...request, isOtherCommit: program !== own.program }
  }
  const first = await target('the command', own.program)
  const rest = []
  for (const { program } of others) rest.push(await target('the command of the other commit', program))
  return /** @type {const} */ ([first, ...rest])
}

/**
 * The arguments of a yardstick, and of a server of the bench's own.
 *
 * @param {readonly string[]} args
 */
export const onPort =
  (...args) =>
  (/** @type {number} */ port) => [String(port), ...args]

/**
 * Starts servers one after the other, and ends those that have started when the function is over.
 *
 * @template T
 * @param {(start: typeof startServer) => Promise<T>} use
 */
export async function withServers(use) {
  /** @type {import('./server-process.js').ServerProcess[]} */
  const started = []
  try {
    return await use(async options => {
      const server = await startServer(options)
      started.push(server)
      return server
    })
  } finally {
    await Promise.all(started.map(server => server.end()))
  }
}
