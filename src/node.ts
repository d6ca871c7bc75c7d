import { type SetupServer, setupServer } from 'msw/node'
import { createMock } from './mock.js'
import {
  combineWithMsw,
  type ListenOptions,
  type Mockmaker,
  type MswMethods,
  toMswOptions,
  withHandlers,
} from './mockmaker.js'
import type { MockmakerOptions } from './options.js'
import type { ScenarioInput } from './scenario/schema.js'
import { scenarios } from './scenario/shipped.js'
import { loadScenarioSync } from './scenario-file.js'

/** Options like `MockmakerOptions`. The scenario may also be the name of a shipped one, or the path of a file. */
export interface NodeMockmakerOptions extends Omit<MockmakerOptions, 'scenario'> {
  /** A path starts at the working directory. */
  readonly scenario?: ScenarioInput | string | undefined
}

/** A Mockmaker with MSW's server and its methods. `close` and `reset` also close and reset the server. */
export interface NodeMockmaker extends Mockmaker, MswMethods<SetupServer>, Pick<SetupServer, 'boundary'> {
  readonly server: SetupServer
  /** Starts to answer `fetch` and `node:http` in this process. */
  listen(options?: ListenOptions): void
}

/** Creates a Mockmaker that answers in this process, under MSW. Throws `UsageError` if the scenario or an option is wrong. */
export function setupMockmaker({ scenario, ...options }: NodeMockmakerOptions = {}): NodeMockmaker {
  const scenarioName = typeof scenario === 'string' ? scenario : undefined
  const loaded = typeof scenario === 'string' ? loadScenarioSync(scenario) : scenario
  const mock = withHandlers(createMock({ ...options, scenario: loaded }, { scenarios, scenarioName }), options)
  const server = setupServer(...mock.handlers)
  const { methods, setListening } = combineWithMsw(mock, server, () => server.close())
  return Object.assign(mock, {
    server,
    ...methods,
    boundary: server.boundary.bind(server),
    listen(options?: ListenOptions) {
      server.listen(toMswOptions(options))
      setListening()
    },
  })
}

export type { ListenOptions, Mockmaker, MswMethods } from './mockmaker.js'
