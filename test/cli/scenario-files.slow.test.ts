import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folder, run, serveJson } from '../support/command.js'

describe('mockmaker [scenario]', () => {
  it('serves a file, from the working directory', async () => {
    const cwd = await folder()
    await writeFile(join(cwd, 'mine.yaml'), 'title: Right\ngame_modes: [duel]\n')

    expect((await serveJson(['mine.yaml'], { cwd })).scenario).toBe('Right')
  })
})

describe('mockmaker init', () => {
  it('writes a commented scenario and its schema, which validate and serve', async () => {
    const cwd = await folder()

    const { code, stdout } = await run(['init', 'world'], { cwd })

    expect({ code, stdout }).toEqual({
      code: 0,
      stdout:
        'wrote world/scenario.mockmaker.yaml\nwrote world/scenario.schema.json\nnext:\n  npx mockmaker world/scenario.mockmaker.yaml\n',
    })
    const [scenario, schema] = await Promise.all(
      ['scenario.mockmaker.yaml', 'scenario.schema.json'].map(name => readFile(join(cwd, 'world', name), 'utf8')),
    )
    expect(scenario).toMatch(/^# yaml-language-server: \$schema=\.\/scenario\.schema\.json\n/)
    expect(JSON.parse(schema ?? '')).toHaveProperty('$schema')
    expect((await run(['validate', 'world/scenario.mockmaker.yaml'], { cwd })).code).toBe(0)
    expect((await serveJson(['world/scenario.mockmaker.yaml'], { cwd })).scenario).toBe('A quiet evening')
  })

  it('writes into the working directory by default', async () => {
    const cwd = await folder()

    await run(['init'], { cwd })

    expect(await readFile(join(cwd, 'scenario.mockmaker.yaml'), 'utf8')).toContain('games:')
  })
})
