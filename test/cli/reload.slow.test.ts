import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { file, lineLike, type Served, serve, serveJson } from '../support/command.js'
import { sendTo } from '../support/http.js'

const scenarioOf = (...lobbies: readonly string[]) =>
  JSON.stringify({
    title: `Of ${lobbies.length}`,
    game_modes: ['duel'],
    lobbies: lobbies.map(lobby_id => ({ lobby_id, game_mode_id: 'duel', region_id: 'lnd-fra' })),
    device_links: [{ token: 'device.mock.sofa' }],
  })

const broken = scenarioOf('one').replace('lnd-fra', 'lnd-frA')

/** A command that serves a file of one lobby. */
async function serving(...args: readonly string[]) {
  const path = await file('scenario.json', scenarioOf('one'))
  const command = await serve([path, ...args])
  return { command, path, save: (text: string) => writeFile(path, text), from: command.lines().length }
}

async function lobbyIds({ url }: Pick<Served, 'url'>): Promise<string[]> {
  const { body } = await sendTo(url, { method: 'GET', path: '/__mock/lobbies' })
  return JSON.parse(body).lobbies.map(({ lobby_id }: { lobby_id: string }) => lobby_id)
}

const make = ({ url }: Pick<Served, 'url'>, lobby_id: string) =>
  sendTo(url, {
    method: 'POST',
    path: '/__mock/lobbies',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ lobby_id }),
  })

/** The line of the first reload. */
const reloaded = ({ command, from }: { command: Served; from: number }) =>
  lineLike(command, { from, like: /^reloaded / })

// What a reload does is in test/core/mock/reload.test.ts, and when it waits in test/server/files/reloader.slow.test.ts.
describe('a scenario file that is saved', () => {
  it('is reloaded and reported, and keeps later writes', async () => {
    const { command, save, from } = await serving()
    await make(command, 'run')

    await save(scenarioOf('two', 'three'))

    expect(await reloaded({ command, from })).toBe('reloaded scenario.json: 2 records created, 1 deleted')
    expect(await lobbyIds(command)).toEqual(['two', 'three', 'run'])
  })

  it('is reloaded each time another folder takes the place of its folder', async () => {
    const { command, path, from } = await serving()
    const folder = dirname(path)
    for (const [i, id] of ['two', 'three', 'four'].entries()) {
      await mkdir(`${folder}.new`)
      await writeFile(join(`${folder}.new`, 'scenario.json'), scenarioOf('one', id))
      await rename(folder, `${folder}.old`)
      await rename(`${folder}.new`, folder)
      await rm(`${folder}.old`, { recursive: true })
      await lineLike(command, { from: from + i, like: /^reloaded / })
    }

    expect(await lobbyIds(command)).toEqual(['one', 'four'])
  })

  it('is reported once if it is wrong, changes nothing, and is loaded when it is fixed', async () => {
    const { command, path, save, from } = await serving()

    await save(broken)
    await expect.poll(command.errors).not.toBe('')
    const after = await lobbyIds(command)

    await save(scenarioOf('one', 'two'))
    await reloaded({ command, from })

    expect(after).toEqual(['one'])
    expect(command.errors().match(/the world stays unchanged until you fix the file/g)).toHaveLength(1)
    expect(command.errors()).toMatch(`${path}:1:`)
    expect(command.errors()).toMatch(/region_id is "lnd-frA".*Did you mean lnd-fra\?/)
    expect(await lobbyIds(command)).toEqual(['one', 'two'])
  })

  it('is reported as an object with --json', async () => {
    const path = await file('scenario.json', scenarioOf('one'))
    const command = await serveJson([path])

    await writeFile(path, scenarioOf('one', 'two'))

    expect(JSON.parse(await lineLike(command, { like: /"reload"/ }))).toEqual({
      event: 'reload',
      file: path,
      created: 1,
      changed: 0,
      deleted: 0,
      cascaded: 0,
    })
  })

  it('is reported only if it is wrong with --quiet', async () => {
    const { command, save, from } = await serving('--quiet')

    await save(scenarioOf('two'))
    await expect.poll(() => lobbyIds(command)).toEqual(['two'])
    await save(broken)
    await expect.poll(command.errors).toContain('lnd-frA')

    expect(command.lines().slice(from)).toEqual([])
  })
})

describe('mockmaker --no-reload', () => {
  it('does not reload', async () => {
    const { command, path, save } = await serving('--no-reload')
    const witness = await serve([path])

    await save(scenarioOf('two'))
    await lineLike(witness, { like: /^reloaded / })

    expect(await lobbyIds(command)).toEqual(['one'])
  })
})
