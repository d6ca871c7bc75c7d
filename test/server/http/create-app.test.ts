import { execFileSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import express, { type Express } from 'express'
import { describe, expect, expectTypeOf } from 'vitest'
import { createApp } from '../../../src/server/http/index.js'
import { createProject } from '../../support/project.js'
import { createTanksMock, it, list } from './express-app.js'

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

  it('compresses long answers of the control API for those who take gzip, and no answer of an operation', async ({
    serve,
  }) => {
    const mock = createTanksMock()
    for (let i = 0; i < 50; i++) await mock.lobby()
    const { send } = await serve(createApp(mock))
    const ask = (path: string, encodings: string) => send({ path, headers: { 'accept-encoding': encodings } })

    const [plain, compressed] = [await ask('/__mock/lobbies', 'gzip;q=0'), await ask('/__mock/lobbies', 'gzip')]

    const vary = 'Origin, Accept-Encoding'
    expect(plain.headers).toMatchObject({ vary, 'content-length': `${plain.body.length}` })
    expect(plain.headers).not.toHaveProperty('content-encoding')
    expect(JSON.parse(plain.body).lobbies.length).toBeGreaterThan(50)
    expect(compressed.headers).toMatchObject({ vary, 'content-encoding': 'gzip' })
    expect(Number(compressed.headers['content-length'])).toBeLessThan(plain.body.length / 3)
    for (const path of [list, '/__mock/clock'])
      expect((await ask(path, 'gzip')).headers).not.toHaveProperty('content-encoding')
  })

  it.for([
    [
      'GET',
      '/lobbies/list',
      'nothing is at /out/mock/lobbies/list: did you mean GET /out/mock/matchmaker/lobbies/list?',
    ],
    ['DELETE', list, `DELETE is not allowed on /out/mock${list}: use GET`],
    [
      'GET',
      '/w/default/lobbies/list',
      'nothing is at /out/mock/w/default/lobbies/list: did you mean GET /out/mock/w/default/matchmaker/lobbies/list?',
    ],
    ['GET', '/__mock/a/b/c', 'nothing is at /out/mock/__mock/a/b/c: GET /out/mock/__mock lists the calls'],
    ['PUT', '/__mock/health', 'PUT is not allowed on /out/mock/__mock/health: use GET'],
    ['GET', '/__mock/lobby', 'nothing is at /out/mock/__mock/lobby, and no table is called "lobby".'],
    ['GET', '/w/none/nowhere', 'there is no world "none": PUT /out/mock/__mock/worlds/{id} creates one'],
  ] as const)('names whole paths in its errors when it is mounted: %s %s', async ([method, path, text], { serve }) => {
    const inner = express().use('/mock', createApp(createTanksMock()))
    const { send } = await serve(express().use('/out', inner))

    const { body } = await send({ method, path: `/out/mock${path}` })

    expect(JSON.parse(body).message.slice(0, text.length)).toBe(text)
  })

  it('says what to install if there is no Express', async () => {
    const printed = await runWithoutExpress(`
      import { createMockmaker } from 'mockmaker'
      import { createApp } from 'mockmaker/express'
      try { createApp(createMockmaker()) } catch (error) { console.log(error.name, error.message) }`)

    expect(printed).toBe('UsageError createApp cannot load Express, which it needs: npm install express\n')
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
