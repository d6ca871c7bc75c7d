import { describe, expect, it } from 'vitest'
import { scenarios } from '../../../src/core/scenario/index.js'
import { readScenario } from '../../../src/core/scenario/read.js'
import { defineWorld } from '../../../src/core/scenario/world.js'
import { tableNames } from '../../../src/core/store/table-names.js'
import { createState } from '../../../src/core/store/world-state.js'

const rowsOf = (state: ReturnType<typeof createState>) =>
  JSON.stringify(tableNames.map(name => state.tables[name].all()))

describe('the state of a scenario that starts again', () => {
  it.for(Object.entries(scenarios))('has the same bytes as a new one: %s', ([, { now: _, ...scenario }]) => {
    const definition = defineWorld(readScenario(scenario))
    const earlier = createState(definition, undefined, 1_000)

    expect(rowsOf(createState(definition, earlier, 5_000))).toBe(rowsOf(createState(definition, undefined, 5_000)))
  })
})
