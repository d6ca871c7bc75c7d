import { http } from 'msw'
import { type SetupServer, setupServer } from 'msw/node'
import { type IsolatedOptions, Isolation } from './isolation.js'
import { createMock } from '../mock/mock.js'
import { type Mockmaker, type MockmakerWorld, withHandlers } from './mockmaker.js'
import { combineWithMsw, type MswMethods } from './life-cycle.js'
import type { MockmakerOptions } from '../mock/options.js'
import type { AnyScenarioName, ScenarioInput } from '../scenario/schema.js'
import { scenarios } from '../scenario/shipped.js'
import { loadScenarioSync } from '../files/scenario-file.js'
import { type ListenOptions, toMswOptions } from './unhandled-requests.js'

/** Options like `MockmakerOptions`. The scenario may also be the name of a shipped one, or the path of a file. */
export interface NodeMockmakerOptions extends Omit<MockmakerOptions, 'scenario'> {
  /** A path starts at the working directory. */
  readonly scenario?: ScenarioInput | AnyScenarioName | undefined
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
export function setupMockmaker({ scenario, ...options }: NodeMockmakerOptions = {}): NodeMockmaker {
  const scenarioName = typeof scenario === 'string' ? scenario : undefined
  const loaded = typeof scenario === 'string' ? loadScenarioSync(scenario) : scenario
  const isolation = new Isolation(options)
  const core = createMock({ ...options, scenario: loaded }, { scenarios, scenarioName })
  const mock = withHandlers(core, options, { http, ownWorld: isolation.current })
  const server = setupServer(...mock.handlers)
  const { methods, claim } = combineWithMsw(mock, server, () => server.close())
  const boundary = server.boundary.bind(server)
  return Object.assign(mock, {
    server,
    ...methods,
    boundary,
    listen(options?: ListenOptions) {
      const mswOptions = toMswOptions(options)
      claim()
      server.listen(mswOptions)
    },
    isolated<T>(use: (own: MockmakerWorld) => T | Promise<T>, options?: IsolatedOptions) {
      return isolation.run({ worlds: mock.worlds, scenarios: mock.scenarios, boundary }, use, options)
    },
  })
}

export type { IsolatedOptions } from './isolation.js'
export type { Mockmaker, MockmakerWorld } from './mockmaker.js'
export type { MswMethods } from './life-cycle.js'
export type { ListenOptions } from './unhandled-requests.js'
