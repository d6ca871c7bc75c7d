import { type SetupServer, setupServer } from 'msw/node'
import { checkFunction } from '../core/lib/messages.js'
import { tooOld } from '../core/lib/peers.js'
import type { Mockmaker, MockmakerWorld } from '../core/mock/facade.js'
import { createMock } from '../core/mock/mock.js'
import type { MockmakerOptions } from '../core/mock/options.js'
import type { ScenarioInput, ScenarioNameOrPath } from '../core/scenario/schema.js'
import { scenarios } from '../core/scenario/shipped.js'
import { installedVersion } from '../server/files/installed-version.js'
import { loadScenarioSync } from '../server/files/scenario-file.js'
import type { Http } from './handlers.js'
import { type IsolatedOptions, Isolation } from './isolation.js'
import { claimListening, combineWithMsw, type MswMethods } from './life-cycle.js'
import { toMockmaker } from './mockmaker.js'
import { checkMswOptions, type ListenOptions, toMswOptions } from './unhandled-requests.js'

/** Options like `MockmakerOptions`. The scenario may also be the name of a shipped one, or the path of a file. */
export interface NodeMockmakerOptions extends Omit<MockmakerOptions, 'scenario'> {
  /** A path starts at the working directory. */
  readonly scenario?: ScenarioInput | ScenarioNameOrPath | undefined
}

/** A Mockmaker with MSW's server and its methods. `close` and `reset` also close and reset the server. */
export interface NodeMockmaker extends Mockmaker, MswMethods<SetupServer>, Pick<SetupServer, 'boundary'> {
  readonly server: SetupServer
  /**
   * Runs a function with a world of its own, and resolves with its result. The requests of the function and of all that it
   * starts reach this world, unless the option `world` decides otherwise. Handlers of `use` end with the function too. The
   * world is deleted afterwards. Rejects with the error of the function, or with `UsageError`.
   */
  isolated<T>(use: (own: MockmakerWorld) => T | Promise<T>, options?: IsolatedOptions): Promise<T>
  /** Starts to answer `fetch` and `node:http` in this process. */
  listen(options?: ListenOptions): void
}

/** Creates a Mockmaker that answers in this process, under MSW. Throws `UsageError` if the scenario or an option is wrong. */
export function setupInNode(http: Http, { scenario, ...options }: NodeMockmakerOptions = {}): NodeMockmaker {
  const scenarioName = typeof scenario === 'string' ? scenario : undefined
  const loaded = typeof scenario === 'string' ? loadScenarioSync(scenario) : scenario
  const isolation = new Isolation(options)
  const mock = createMock({ ...options, scenario: loaded }, { scenarios, scenarioName })
  const mockmaker: NodeMockmaker = toMockmaker(mock, options, {
    http,
    versionOf: installedVersion,
    ownWorld: isolation.current,
    more({ list }) {
      const server = setupServer(...list())
      if (!server.boundary) throw tooOld('mockmaker/node', 'msw', { versionOf: installedVersion })
      const boundary: typeof server.boundary = callback => {
        checkFunction('boundary: the callback', callback)
        return server.boundary(callback)
      }
      return {
        server,
        ...combineWithMsw(mock, server, () => server.close()),
        boundary,
        listen(options?: ListenOptions) {
          checkMswOptions(options, [])
          const mswOptions = toMswOptions(options)
          claimListening(mock.default)
          server.listen(mswOptions)
        },
        isolated<T>(use: (own: MockmakerWorld) => T | Promise<T>, options?: IsolatedOptions) {
          return isolation.run({ mock, worlds: mockmaker.worlds, server }, use, options)
        },
      }
    },
  })
  return mockmaker
}
