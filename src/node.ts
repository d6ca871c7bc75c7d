import { type SetupServer, setupServer } from 'msw/node'
import { extended } from './extended.js'
import { createMock } from './mock.js'
import {
  type ListenOptions,
  type Mockmaker,
  type MockmakerOptions,
  type PassedOn,
  ridingOn,
  unhandled,
  withHandlers,
} from './mockmaker.js'
import { nodeParts } from './node/parts.js'
import { loadScenarioSync } from './node/scenario-file.js'
import type { ScenarioInput } from './scenario/schema.js'

/** As `MockmakerOptions`; the scenario may also be the name of a shipped one, or a file's path from the working directory. */
export interface NodeMockmakerOptions extends Omit<MockmakerOptions, 'scenario'> {
  readonly scenario?: ScenarioInput | string | undefined
}

/** A Mockmaker with MSW's server, whose calls it passes on. `close` and `reset` are also the server's. */
export interface NodeMockmaker extends Mockmaker, PassedOn<SetupServer>, Pick<SetupServer, 'boundary'> {
  readonly server: SetupServer
  /** Begins to answer `fetch` and `node:http` in this process. */
  listen(options?: ListenOptions): void
}

/** Makes a Mockmaker that answers in this process, under MSW. Throws `UsageError` where the scenario or an option is wrong. */
export function setupMockmaker({ scenario, ...options }: NodeMockmakerOptions = {}): NodeMockmaker {
  const loaded = typeof scenario === 'string' ? loadScenarioSync(scenario) : scenario
  const mock = withHandlers(
    createMock(
      { ...options, scenario: loaded },
      { ...nodeParts(), scenarioName: typeof scenario === 'string' ? scenario : undefined },
    ),
    options,
  )
  const server = setupServer(...mock.handlers)
  const { calls, listens } = ridingOn(mock, { msw: server, stop: () => server.close() })
  const over = {
    server,
    ...calls,
    boundary: server.boundary.bind(server),
    listen(options?: ListenOptions) {
      server.listen(unhandled(options))
      listens()
    },
  }
  return extended(mock, over)
}

export type { ListenOptions, Mockmaker, PassedOn } from './mockmaker.js'
