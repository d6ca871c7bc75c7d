import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { scenarios } from '../../src/core/scenario/index.js'
import { loadScenarioSync } from '../../src/server/files/scenario-file.js'
import { ScenarioCache } from '../../src/testing/scenario-cache.js'

function fileWith(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'mockmaker-scenario-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'scenario.yaml')
  writeFileSync(file, text)
  return file
}

describe('the scenarios of the tests of a file', () => {
  it('are parsed once, unless the file changes or other tests begin', () => {
    const file = fileWith('game_modes: [duel]')
    const known = new ScenarioCache()
    known.begin('one.spec.ts')
    const first = loadScenarioSync(file, known.parsed)

    known.begin('one.spec.ts')
    expect(loadScenarioSync(file, known.parsed)).toBe(first)

    writeFileSync(file, 'game_modes: [ffa]')
    const changed = loadScenarioSync(file, known.parsed)
    expect(changed).toHaveProperty('content.game_modes', ['ffa'])

    known.begin('two.spec.ts')
    expect(loadScenarioSync(file, known.parsed)).not.toBe(changed)
  })

  it('are the shipped ones, by name', () => {
    expect(loadScenarioSync('friday-night')).toBe(scenarios['friday-night'])
  })

  it('have to exist', () => {
    expect(() => loadScenarioSync('friday-nite')).toThrow('there is no scenario file friday-nite')
  })
})
