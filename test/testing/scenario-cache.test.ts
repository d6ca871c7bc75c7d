import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { scenarios } from '../../src/core/scenario/index.js'
import { loadScenarioSync } from '../../src/server/files/scenario-file.js'
import { ScenarioCache } from '../../src/testing/scenario-cache.js'
import { file } from '../support/command.js'

describe('the scenarios of the tests of a file', () => {
  it('are parsed once, unless the file changes or other tests begin', async () => {
    const path = await file('scenario.yaml', 'game_modes: [duel]')
    const known = new ScenarioCache()
    known.begin('one.spec.ts')
    const first = loadScenarioSync(path, known.parsed)

    known.begin('one.spec.ts')
    expect(loadScenarioSync(path, known.parsed)).toBe(first)

    writeFileSync(path, 'game_modes: [ffa]')
    const changed = loadScenarioSync(path, known.parsed)
    expect(changed).toHaveProperty('content.game_modes', ['ffa'])

    known.begin('two.spec.ts')
    expect(loadScenarioSync(path, known.parsed)).not.toBe(changed)
  })

  it('are the shipped ones, by name', () => {
    expect(loadScenarioSync('friday-night')).toBe(scenarios['friday-night'])
  })

  it('have to exist', () => {
    expect(() => loadScenarioSync('friday-nite')).toThrow('there is no scenario file friday-nite')
  })
})
