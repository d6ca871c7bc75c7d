import { inspect } from 'node:util'
import type { Bound } from '../express/bind.js'
import { createListener } from '../express/listener.js'
import { createMock, type Mock } from '../mock.js'
import { nodeParts } from '../node/parts.js'
import type { Progress } from '../scenario/world-state.js'
import type { Console } from './console.js'
import type { Loaded } from './load.js'
import type { MockFlags } from './options.js'

/** What a mock is made of. */
interface Answering {
  /** Default: the shipped `default`. */
  readonly loaded: Loaded | undefined
  readonly options: MockFlags
  readonly progress?: Progress | undefined
  readonly console: Pick<Console, 'warn'>
}

/** Makes a mock, and answers on a port with it from now on. Throws `UsageError` where the scenario is wrong. */
export function answerOn(bound: Bound, { loaded, options, progress, console }: Answering): Mock {
  const { seed, live, watchTimeout, corsOrigin, maxWorlds, worldTtl, journal, allowedHosts, control } = options
  const mock = createMock(
    {
      scenario: loaded?.scenario,
      seed,
      live,
      watchTimeoutMs: watchTimeout,
      publicUrl: reachable(bound.url),
      corsOrigins: corsOrigin,
      maxWorlds,
      worldTtlMs: worldTtl,
      journalSize: journal,
    },
    {
      ...nodeParts(),
      progress,
      onBug: (error, where) => console.warn(`mockmaker: unexpected error, ${where}\n${inspect(error)}`),
      scenarioName: loaded?.name,
    },
  )
  bound.serve(createListener(mock, { allowedHosts, control }))
  return mock
}

/** A URL that works where the address means all of the machine's. */
export function reachable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}
