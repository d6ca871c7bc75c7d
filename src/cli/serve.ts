import { printBanner } from './banner.js'
import { listenToKeys, servingKeys } from './keys.js'
import { type StartOptions, startMock } from './mock-server.js'
import type { ServeFlags } from './options.js'
import { reloadOnSave } from './reload.js'
import { logRequests } from './request-log.js'

/** The exit code after a second SIGINT. */
const interrupted = 130

/** Serves a mock until a signal or a key ends the process. Rejects with `UsageError` if it cannot start. */
export async function serve(options: StartOptions<ServeFlags>): Promise<void> {
  const { loaded, flags, console } = options
  const format = flags.json ? 'json' : 'text'
  const hasKeys = process.stdin.isTTY && process.stdout.isTTY && format === 'text'
  const { mock, url, close } = await startMock(flags.port, options)
  if (format === 'json') console.printJson({ event: 'listening', url, scenario: mock.world.title, tokens: mock.tokens })
  else printBanner(mock, { url, console, hint: hasKeys ? 'press h + Enter for help' : undefined })
  logRequests(mock, { format, failuresOnly: flags.quiet, console })
  const watched =
    loaded?.file && flags.reload !== false
      ? await reloadOnSave(loaded.file, { mock, console, format: flags.quiet ? 'quiet' : format })
      : undefined
  const quit = quitOnSignals(() => Promise.all([watched?.close(), close()]))
  if (hasKeys) listenToKeys(process.stdin, servingKeys({ mock, url, console, quit }), console)
}

/**
 * Ends the process on the first SIGINT or SIGTERM, after `close`. A second SIGINT ends it at once. Returns a function that
 * does the same as a signal.
 */
function quitOnSignals(close: () => Promise<unknown>): () => void {
  const quit = () => {
    process.on('SIGINT', () => process.exit(interrupted))
    // A second SIGTERM does not interrupt the first.
    process.on('SIGTERM', () => {})
    // Exits with 0 even if its output failed: it served until it was told to end.
    void close().finally(() => process.exit(0))
  }
  process.once('SIGINT', quit)
  process.once('SIGTERM', quit)
  return quit
}
