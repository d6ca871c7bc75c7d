import { describe, expect, expectTypeOf, it } from 'vitest'
import type { Client } from '../../../src/client/index.js'
import type { OperationId } from '../../../src/core/contract/operations.js'
import type { WorldControl } from '../../../src/core/control/world-control.js'
import type { NewWorldOptions } from '../../../src/core/generated/options.js'
import type { ScenarioInput, ShippedScenario } from '../../../src/core/generated/scenario.js'
import type { MockmakerPluginOptions } from '../../../src/core/mock/options.js'
import { defineScenario } from '../../../src/core/scenario/index.js'
import { createMockmaker } from '../../../src/index.js'
import { type IsolatedOptions, type NodeMockmakerOptions, setupMockmaker } from '../../../src/msw/node.js'
import type { PageMockOptions } from '../../../src/testing/playwright/page-mock.js'
import type { StoryParameters } from '../../../src/testing/storybook/parameters.js'
import type { TestWorldOptions } from '../../../src/testing/test-world.js'
import type { VitestOptions } from '../../../src/testing/vitest/fixture.js'

// The compiler checks most of these tests: `npm run typecheck`.

/** The names that an editor completes. A plain `string` has none. */
type NamesIn<Option> = Extract<Option, ShippedScenario>

describe('the operation of a fault, a wait or an expectation', () => {
  it('is an id or a pattern', () => {
    type Operation = Parameters<WorldControl['fail']>[0]

    expectTypeOf<OperationId>().toExtend<Operation>()
    expectTypeOf<'devices.*' | '*' | '*.list'>().toExtend<Operation>()
    expectTypeOf<'lobbies.lst'>().not.toExtend<Operation>()
    expectTypeOf<Parameters<WorldControl['next']>[0]>().toEqualTypeOf<Operation>()
    expectTypeOf<Extract<Operation, OperationId>>().toEqualTypeOf<OperationId>()
  })
})

describe('the name of a shipped scenario', () => {
  it('is completed in options', () => {
    expectTypeOf<NamesIn<NodeMockmakerOptions['scenario']>>().toEqualTypeOf<ShippedScenario>()
    expectTypeOf<NamesIn<IsolatedOptions['scenario']>>().toEqualTypeOf<ShippedScenario>()
    expectTypeOf<NamesIn<VitestOptions['scenario']>>().toEqualTypeOf<ShippedScenario>()
    expectTypeOf<NamesIn<TestWorldOptions['scenario']>>().toEqualTypeOf<ShippedScenario>()
    expectTypeOf<NamesIn<PageMockOptions['scenario']>>().toEqualTypeOf<ShippedScenario>()
    expectTypeOf<NamesIn<MockmakerPluginOptions['scenario']>>().toEqualTypeOf<ShippedScenario>()
    expectTypeOf<NamesIn<StoryParameters['scenario']>>().toEqualTypeOf<ShippedScenario>()
    expectTypeOf<NamesIn<NewWorldOptions['scenario']>>().toEqualTypeOf<ShippedScenario>()
  })

  it('is completed in calls', () => {
    type OptionsOfClient = NonNullable<Parameters<Client['worlds']['put']>[1]>

    expectTypeOf<NamesIn<Parameters<WorldControl['load']>[0]>>().toEqualTypeOf<ShippedScenario>()
    expectTypeOf<NamesIn<Parameters<Client['load']>[0]>>().toEqualTypeOf<ShippedScenario>()
    expectTypeOf<NamesIn<OptionsOfClient['scenario']>>().toEqualTypeOf<ShippedScenario>()
  })

  it('is not the only one where a path works', () => {
    type Path = `./tanks.yaml` | `${string}/tanks.yaml` | 'C:\\tanks.yaml'

    expectTypeOf<Path>().toExtend<NodeMockmakerOptions['scenario']>()
    expectTypeOf<Path>().toExtend<VitestOptions['scenario']>()
    expectTypeOf<Path>().toExtend<PageMockOptions['scenario']>()
    expectTypeOf<Path>().toExtend<MockmakerPluginOptions['scenario']>()
  })

  it('is refused if it is mistyped', () => {
    expectTypeOf<'fridaynight'>().not.toExtend<NodeMockmakerOptions['scenario']>()
    expectTypeOf<'fridaynight'>().not.toExtend<VitestOptions['scenario']>()
    expectTypeOf<'fridaynight'>().not.toExtend<PageMockOptions['scenario']>()
    expectTypeOf<'fridaynight'>().not.toExtend<MockmakerPluginOptions['scenario']>()
    // A server may have a scenario of your own.
    expectTypeOf<string>().toExtend<NewWorldOptions['scenario']>()
    expectTypeOf<string>().not.toExtend<StoryParameters['scenario']>()
  })
})

const constant = {
  regions: ['lnd-fra', { region_id: 'own' }],
  games: [
    {
      name_id: 'tanks',
      namespaces: [
        {
          domains: ['tanks.example'],
          development: { lobby_ports: [{ label: 'default', target_port: 7777, proxy_protocol: 'http' }] },
          game_modes: ['duel', { game_mode_id: 'race', regions: ['own'], disabled: ['find'] }],
          lobbies: [{ game_mode_id: 'race', players: [{ status: 'connected' }], tags: { map: 'Harbour' } }],
        },
      ],
    },
  ],
  revision: 1,
  chance: { world: [1, 2, 3, 4] },
  device_links: [{ token: 'device.mock.sofa' }],
  faults: [{ operation: 'lobbies.*', effect: { error: { status: 503, code: 'BUSY' } } }],
} as const

describe('a scenario as const', () => {
  it('compiles wherever a scenario does', async () => {
    const mock = createMockmaker({ scenario: constant })
    await mock.load(constant)
    await mock.restore(constant)
    await mock.worlds.put('other', { scenario: constant })

    expect(defineScenario(constant)).toBe(constant)
    expect(setupMockmaker({ scenario: constant }).snapshot().regions).toEqual(mock.snapshot().regions)
    expectTypeOf<typeof constant>().toExtend<VitestOptions['scenario']>()
    expectTypeOf<typeof constant>().toExtend<PageMockOptions['scenario']>()
    expectTypeOf<typeof constant>().toExtend<MockmakerPluginOptions['scenario']>()
    expectTypeOf<typeof constant>().toExtend<StoryParameters['scenario']>()
    expectTypeOf<typeof constant>().toExtend<Parameters<Client['load']>[0]>()
  })

  it('may have arrays that change', () => {
    const lobbies: { region_id: string }[] = []

    expectTypeOf<{ game_modes: string[]; lobbies: typeof lobbies }>().toExtend<ScenarioInput>()
  })
})
