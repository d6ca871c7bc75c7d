import { type SetupServer, setupServer } from 'msw/node'
import { createMock } from './mock.js'
import { type ListenOptions, type Mockmaker, type MockmakerOptions, unhandled, withHandlers } from './mockmaker.js'
import { loadScenario } from './node/load-scenario.js'
import { nodeParts } from './node/parts.js'
import type { ScenarioInput } from './scenario/schema.js'

/** As `MockmakerOptions`; the scenario may also be the name of a shipped one, or a file's path from the working directory. */
export interface NodeMockmakerOptions extends Omit<MockmakerOptions, 'scenario'> {
  readonly scenario?: ScenarioInput | string | undefined
}

/** A Mockmaker with MSW's server, whose calls it passes on. `close` and `reset` are also the server's. */
export interface NodeMockmaker
  extends Mockmaker,
    Pick<SetupServer, 'use' | 'resetHandlers' | 'restoreHandlers' | 'boundary' | 'events'> {
  readonly server: SetupServer
  /** Begins to answer `fetch` and `node:http` in this process. */
  listen(options?: ListenOptions): void
}

/** Makes a Mockmaker that answers in this process, under MSW. Throws `UsageError` where the scenario or an option is wrong. */
export function setupMockmaker({ scenario, ...options }: NodeMockmakerOptions = {}): NodeMockmaker {
  const loaded = typeof scenario === 'string' ? loadScenario(scenario) : scenario
  const mock = withHandlers(createMock({ ...options, scenario: loaded }, nodeParts()), options)
  const server = setupServer(...mock.handlers)
  return {
    ...mock,
    server,
    events: server.events,
    use: server.use.bind(server),
    resetHandlers: server.resetHandlers.bind(server),
    restoreHandlers: server.restoreHandlers.bind(server),
    boundary: server.boundary.bind(server),
    listen: options => server.listen(unhandled(options)),
    async reset() {
      server.resetHandlers()
      await mock.reset()
    },
    async close() {
      await mock.close()
      server.close()
    },
  }
}

export type { ListenOptions, Mockmaker } from './mockmaker.js'
