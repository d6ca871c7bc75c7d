import { type Bound, bind, PortTaken } from '../express/bind.js'
import { createListener } from '../express/listener.js'
import { createMock, type Mock } from '../mock.js'
import { nodeParts } from '../node/parts.js'
import type { ScenarioInput } from '../scenario/schema.js'
import { printBanner } from './banner.js'
import type { Console } from './console.js'
import { exchangeLine, exchangeObject } from './exchange-line.js'
import { exposureOf } from './exposure.js'
import { occupant } from './occupant.js'
import type { ServeOptions } from './options.js'

/** A command that serves. */
interface Serving {
  readonly scenario: ScenarioInput | undefined
  readonly options: ServeOptions
  readonly console: Console
}

/** Serves until it is closed. Rejects with `UsageError` where the port is taken, or the scenario is wrong. */
export async function serve(serving: Serving): Promise<{ close(): Promise<void> }> {
  const bound = await bindOrTellWhoIsThere(serving.options)
  try {
    const mock = begin(bound, serving)
    return { close: () => bound.close(mock) }
  } catch (error) {
    await bound.close()
    throw error
  }
}

/** Answers on a port from now on, and tells of it. */
function begin(bound: Bound, { scenario, options, console }: Serving): Mock {
  const { host, seed, watchTimeout: watchTimeoutMs, corsOrigin: corsOrigins, allowedHosts } = options
  const exposure = host === undefined ? undefined : exposureOf({ host, port: bound.port })
  if (exposure !== undefined) console.warn(exposure)
  const url = reachable(bound.url)
  const parts = { ...nodeParts(), progress: options.quiet ? undefined : console.progress() }
  const mock = createMock({ scenario, seed, watchTimeoutMs, publicUrl: url, corsOrigins }, parts)
  bound.serve(createListener(mock, { allowedHosts }))
  if (options.json)
    console.print(JSON.stringify({ event: 'listening', url, scenario: mock.world.title, tokens: mock.tokens }))
  else printBanner({ mock, url }, console)
  logExchanges(mock, { options, console })
  return mock
}

function logExchanges({ log, world }: Mock, { options, console }: Pick<Serving, 'options' | 'console'>): void {
  const { print, style } = console
  log.subscribe(record => {
    if (options.quiet && record.status < 400) return
    // Made when it is written, many in a row: one alone between two answers costs several times as much.
    print(() => (options.json ? JSON.stringify(exchangeObject(record)) : exchangeLine(record, { world, style })))
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

/** A URL that works where the address means all of the machine's. */
function reachable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}
