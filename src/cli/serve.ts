import { type Bound, bind, PortTaken } from '../express/bind.js'
import type { Mock } from '../mock.js'
import { answerOn, reachable } from './answer-on.js'
import { printBanner } from './banner.js'
import type { Console } from './console.js'
import { exchangeLine, exchangeObject } from './exchange-line.js'
import { exposureOf } from './exposure.js'
import type { Loaded } from './load.js'
import { occupant } from './occupant.js'
import type { ServeOptions } from './options.js'
import { reloadWhenSaved } from './reload.js'

/** A command that serves. */
interface Serving {
  /** Default: the shipped `default`. */
  readonly loaded: Loaded | undefined
  readonly options: ServeOptions
  readonly console: Console
  /** What stands at the end of the first lines. Default: nothing. */
  readonly hint?: string | undefined
}

/** A command that serves, until it is closed. */
export interface Served {
  readonly mock: Mock
  readonly url: string
  close(): Promise<void>
}

/** Serves until it is closed. Rejects with `UsageError` where the port is taken, or the scenario is wrong. */
export async function serve(serving: Serving): Promise<Served> {
  const { loaded, options, console } = serving
  const bound = await bindOrTellWhoIsThere(options)
  try {
    const mock = begin(bound, serving)
    const tell = options.json ? 'json' : 'text'
    const watched =
      loaded?.file && options.reload !== false
        ? await reloadWhenSaved({ file: loaded.file, mock, console, tell: options.quiet ? 'quiet' : tell })
        : undefined
    return {
      mock,
      url: reachable(bound.url),
      async close() {
        await Promise.all([watched?.close(), bound.close(mock)])
      },
    }
  } catch (error) {
    await bound.close()
    throw error
  }
}

/** Answers on a port from now on, and tells of it. */
function begin(bound: Bound, { loaded, options, console, hint }: Serving): Mock {
  const { host } = options
  const exposure = host === undefined ? undefined : exposureOf({ host, port: bound.port })
  if (exposure !== undefined) console.warn(exposure)
  const url = reachable(bound.url)
  const mock = answerOn(bound, { loaded, options, progress: options.quiet ? undefined : console.progress(), console })
  if (options.json) console.printJson({ event: 'listening', url, scenario: mock.world.title, tokens: mock.tokens })
  else printBanner({ mock, url, hint }, console)
  logExchanges(mock, { options, console })
  return mock
}

function logExchanges({ log, worlds }: Mock, { options, console }: Pick<Serving, 'options' | 'console'>): void {
  const { print, printJson, style } = console
  log.subscribe(record => {
    if (options.quiet && record.status < 400) return
    // Made when it is written, many in a row: one alone between two answers costs several times as much.
    if (options.json) printJson(() => exchangeObject(record))
    else print(() => exchangeLine(record, { world: worlds.get(record.world)?.world, style }))
  })
}

async function bindOrTellWhoIsThere({ port, host }: ServeOptions): Promise<Bound> {
  try {
    return await bind({ port, host })
  } catch (error) {
    if (error instanceof PortTaken) throw await occupant(error)
    throw error
  }
}
