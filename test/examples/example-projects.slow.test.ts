import { tmpdir } from 'node:os'
import { describe, expect, it } from 'vitest'
import { folder } from '../support/command.js'
import { runProgram, withVersions } from '../support/example-projects.js'
import { isAlive } from '../support/game-server-programs.js'

describe('a program of an example', () => {
  it('is reported, and ended, if it leaves a process behind', async () => {
    const script = `
      import { spawn } from 'node:child_process'
      const left = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' })
      left.unref()
      console.log(left.pid)
    `
    const cwd = await folder({ 'leave.mjs': script })

    const { code, output, left } = await runProgram('node', ['leave.mjs'], { cwd, env: process.env })

    expect(code).toBe(0)
    expect(left).toEqual([expect.stringContaining('setInterval')])
    await expect.poll(() => isAlive(Number(output))).toBe(false)
  })

  it('has nothing to report if it leaves nothing behind', async () => {
    const { code, output, left } = await runProgram('node', ['-e', 'console.error("bye"); process.exitCode = 3'], {
      cwd: tmpdir(),
      env: process.env,
    })

    expect({ code, output, left }).toEqual({ code: 3, output: 'bye\n', left: [] })
  })
})

describe('the manifest of an example', () => {
  const manifest = {
    name: 'example',
    dependencies: { storybook: '^10', '@storybook/html-vite': '^10', other: '1' },
    devDependencies: { mockmaker: 'file:../..', msw: '^2' },
  }

  it('gets the versions, and still finds mockmaker in the checkout', () => {
    const text = withVersions(JSON.stringify(manifest), { msw: '3', storybook: '9' })

    expect(JSON.parse(text)).toEqual({
      name: 'example',
      dependencies: { storybook: '9', '@storybook/html-vite': '9', other: '1' },
      devDependencies: { mockmaker: 'file:../..', msw: '3' },
    })
  })

  it('is refused if it lacks a package of the matrix, or takes mockmaker from elsewhere', () => {
    const pinned = { ...manifest, devDependencies: { mockmaker: '1' } }

    expect(() => withVersions(JSON.stringify(manifest), { vitest: '4' })).toThrow('lacks vitest')
    expect(() => withVersions(JSON.stringify(pinned), {})).toThrow('"mockmaker": "file:../.."')
  })
})
