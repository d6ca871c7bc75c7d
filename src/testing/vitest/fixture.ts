import { expect, type TestAPI, test } from 'vitest'
import type { Client } from '../../client/client.js'
import type { ScenarioInput, ScenarioNameOrPath } from '../../core/scenario/schema.js'
import { type MockmakerMatchers, matchers } from '../matchers.js'
import type { TestWorldOptions } from '../test-world.js'
import { type Interception, VitestHooks } from './hooks.js'
import type { Runner } from './runner.js'
import type { AnyTestOptions, TestMockOptions, VitestMock } from './test-mock.js'

declare global {
  // `Matchers` of vitest 4 and 5 have other type parameters. Both majors have the assertions of Chai.
  namespace Chai {
    interface Assertion extends MockmakerMatchers<void> {}
  }
}

/** Options of a mock for each test. All are optional. */
export interface VitestOptions extends Omit<TestMockOptions, 'scenario'> {
  /** In Node also the name of a shipped scenario, or the path of a file from the working directory. */
  readonly scenario?: ScenarioInput | ScenarioNameOrPath | undefined
}

/** Options of a world for each test on a running mock. */
export interface VitestServerOptions extends TestWorldOptions {}

/** The fixtures of a test with a mock in-process. */
export interface MockFixtures {
  /** `test.override('options', { … })` changes keys for a group of tests. The other keys keep their values. */
  options: VitestOptions
  /** A mock for this test alone. */
  mock: VitestMock
}

/** The fixtures of a test with a world on a running mock. */
export interface ClientFixtures {
  /** `test.override('options', { … })` changes keys for a group of tests. The other keys keep their values. */
  options: Partial<VitestServerOptions>
  /** A world for this test alone. */
  mock: Client
}

/** `mockmaker` of `mockmaker/vitest`. */
export interface CreateTest {
  /**
   * Returns a `test` of vitest with a world for each test on a running mock: `test('…', async ({ mock }) => { … })`. `base` is
   * a `test` with fixtures of your own. Default: that of vitest.
   */
  <Extra extends object = object>(options: VitestServerOptions, base?: TestAPI<Extra>): TestAPI<Extra & ClientFixtures>
  /**
   * Returns a `test` of vitest with a mock for each test: `test('…', async ({ mock }) => { … })`. The requests of a test reach its
   * mock, also while other tests run. `base` is a `test` with fixtures of your own. Default: that of vitest.
   */
  <Extra extends object = object>(options?: VitestOptions, base?: TestAPI<Extra>): TestAPI<Extra & MockFixtures>
}

/** Creates `mockmaker` for Node or for a page. */
export function createFixtures(interception: Interception, runner: Runner): CreateTest {
  const hooks = new VitestHooks(interception, runner)
  const create = (own: AnyTestOptions = {}, base: TestAPI = test) => {
    // Vitest 4.1 has a newer form, which older ones do not know.
    const extended = base.extend<{ options: AnyTestOptions; mock: object }>({
      options: own,
      mock: [
        async ({ options, task }, use) => {
          await use(await hooks.open(task, { ...own, ...options }))
          await hooks.close(task)
        },
        { auto: true },
      ],
    })
    const register = () => {
      expect.extend(matchers)
      hooks.register(own)
    }
    // Now, so that MSW starts before the hooks of the test file, which may send requests.
    if (isCollecting(runner)) register()
    return registering(extended as TestAPI, register)
  }
  return create as CreateTest // the options decide about the fixtures
}

function isCollecting(runner: Runner): boolean {
  try {
    runner.suites()
    return true
  } catch {
    return false
  }
}

function registering(base: TestAPI, register: () => void): TestAPI {
  return new Proxy(base, {
    apply(target, self, args) {
      register()
      return Reflect.apply(target, self, args)
    },
    get(target, key) {
      const value: unknown = Reflect.get(target, key)
      if (typeof key === 'symbol') return value
      register()
      if (key !== 'extend') return value
      return (...args: Parameters<TestAPI['extend']>) => registering(target.extend(...args), register)
    },
  })
}

export type { TestMockOptions, VitestMock } from './test-mock.js'
