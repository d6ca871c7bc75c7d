import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { scenarios } from '../../../src/core/scenario/index.js'
import { PageScenarios } from '../../../src/testing/playwright/page-scenarios.js'

function fileWith(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'mockmaker-scenario-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'scenario.yaml')
  writeFileSync(file, text)
  return file
}

describe('the scenarios of Playwright tests', () => {
  it('are parsed once, unless the file changes or other tests begin', () => {
    const file = fileWith('game_modes: [duel]')
    const known = new PageScenarios()
    known.begin('one.spec.ts')
    const first = known.load(file)

    known.begin('one.spec.ts')
    expect(known.load(file)).toBe(first)

    writeFileSync(file, 'game_modes: [ffa]')
    const changed = known.load(file)
    expect(changed).toHaveProperty('content.game_modes', ['ffa'])

    known.begin('two.spec.ts')
    expect(known.load(file)).not.toBe(changed)
  })

  it('are the shipped ones, by name', () => {
    expect(new PageScenarios().load('friday-night')).toBe(scenarios['friday-night'])
  })

  it('have to exist', () => {
    expect(() => new PageScenarios().load('friday-nite')).toThrow('there is no scenario file friday-nite')
  })
})
