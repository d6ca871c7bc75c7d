import { execFileSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import express, { type Express } from 'express'
import { describe, expect, expectTypeOf } from 'vitest'
import { createApp } from '../../src/http/index.js'
import { createTanksMock, it, list } from '../support/express-app.js'
import { createProject } from '../support/project.js'

/** Runs a script in a project that has the package, and no Express. Returns what it prints. */
async function runWithoutExpress(script: string): Promise<string> {
  const { folder, remove } = await createProject({})
  const own = join(folder, 'node_modules/mockmaker')
  // A copy: a link would lead to the Express of this checkout.
  for (const path of [own, join(folder, 'node_modules/express')]) rmSync(path)
  for (const path of ['dist', 'package.json']) cpSync(path, join(own, path), { recursive: true })
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: folder,
    encoding: 'utf8',
  })
  remove()
  return printed
}

describe('createApp', () => {
  it('returns an app of the installed Express', async ({ serve }) => {
    const app = createApp(createTanksMock()).set('trust proxy', true)

    expectTypeOf(app).toEqualTypeOf<Express>()
    expect(Object.getPrototypeOf(app.request)).toBe(express.request)
    const { send } = await serve(app)
    expect(await send({ path: '/__mock/health' })).toMatchObject({ status: 200 })
    expect((await send({})).headers).not.toHaveProperty('x-powered-by')
  })

  it('can be mounted in another app', async ({ serve }) => {
    const { send } = await serve(express().use('/mock', createApp(createTanksMock())))

    expect(await send({ path: `/mock${list}` })).toMatchObject({ status: 200 })
    expect(await send({ path: '/mock/nowhere' })).toMatchObject({
      status: 404,
      body: expect.stringContaining('"code"'),
    })
    expect(await send({ path: '/nowhere' })).toMatchObject({ status: 404, body: expect.stringContaining('"next"') })
  })

  it('says what to install if there is no Express', async () => {
    const printed = await runWithoutExpress(`
      import { createMockmaker } from 'mockmaker'
      import { createApp } from 'mockmaker/express'
      try { createApp(createMockmaker()) } catch (error) { console.log(error.name, error.message) }`)

    expect(printed).toBe('UsageError createApp needs Express, which is not installed: npm install express\n')
  })
})

describe('listen and mockExpress', () => {
  it('work without Express', async () => {
    const printed = await runWithoutExpress(`
      import { createMockmaker } from 'mockmaker'
      import { listen, mockExpress } from 'mockmaker/express'
      const mock = createMockmaker()
      const { url, close } = await listen(mock, { port: 0 })
      console.log((await fetch(url + '${list}')).status, typeof mockExpress(mock.handlers))
      await close()`)

    expect(printed).toBe('200 function\n')
  })
})
