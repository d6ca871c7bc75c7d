import { createApp } from '../express/app.js'
import { type Bound, bind, PortTaken } from '../express/bind.js'
import { createMock, type Mock } from '../mock.js'
import { nodeParts } from '../node/parts.js'
import type { ScenarioInput } from '../scenario/schema.js'
import { isLoopbackHost } from '../server/origin.js'
import { printBanner } from './banner.js'
import type { Console } from './console.js'
import { exchangeLine, exchangeObject } from './exchange-line.js'
import { occupant } from './occupant.js'
import type { ServeOptions } from './options.js'

/** A command that serves. */
export interface Serving {
  readonly scenario: ScenarioInput | undefined
  readonly options: ServeOptions
  readonly version: string
  readonly console: Console
}

/** Serves until it is closed. Throws `UsageError` where the port is taken. */
export async function serve({ scenario, options, version, console }: Serving): Promise<{ close(): Promise<void> }> {
  const { host, seed, watchTimeout: watchTimeoutMs, corsOrigin: corsOrigins, allowedHosts } = options
  const bound = await bindOrTellWhoIsThere(options)
  const url = reachable(bound.url)
  if (host !== undefined && !isLoopbackHost(host === '::1' ? '[::1]' : host)) {
    console.warn(`mockmaker: on ${host} everyone who reaches this machine reaches the mock, its tokens included`)
  }
  const mock = createMock({ scenario, seed, watchTimeoutMs, publicUrl: url, corsOrigins }, nodeParts())
  bound.serve(createApp(mock, { allowedHosts }))
  if (options.json)
    console.print(JSON.stringify({ event: 'listening', url, scenario: mock.world.title, tokens: mock.tokens }))
  else printBanner({ mock, url, version }, console)
  logExchanges(mock, { options, console })
  return {
    async close() {
      await mock.close()
      await bound.close()
    },
  }
}

function logExchanges(mock: Mock, { options, console }: Pick<Serving, 'options' | 'console'>): void {
  mock.log.subscribe(record => {
    if (options.quiet && record.status < 400) return
    console.print(options.json ? JSON.stringify(exchangeObject(record)) : exchangeLine(record, mock, console))
  })
}

async function bindOrTellWhoIsThere({ port, host }: ServeOptions): Promise<Bound> {
  try {
    return await bind({ port, hosts: host === undefined ? ['127.0.0.1', '::1'] : [host] })
  } catch (error) {
    if (error instanceof PortTaken) throw await occupant(error)
    throw error
  }
}

/** A URL that works where the address means all of the machine's. */
function reachable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}
