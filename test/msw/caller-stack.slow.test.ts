import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProject, type Project } from '../support/project.js'

/** Each call is on one line, so the first frame of its stack is that line. */
const program = `
import { UsageError } from 'mockmaker'
import { createClient } from 'mockmaker/client'
import { listen } from 'mockmaker/express'
import { setupMockmaker } from 'mockmaker/node'

const mock = setupMockmaker()
const { url, close } = await listen(mock, { port: 0 })
const client = createClient(url)
const unreachable = createClient('http://127.0.0.1:1')
const { world, journal, clock } = mock
const isFound = q => q.where({ lobby_id: 'x' })

const waiting = [
  mock.next('lobbies.find'),
  mock.blocked(2),
  client.next('lobbies.find'),
]
const late = [
  mock.next('lobbies.find', {}, { timeout: 1 }),
  mock.blocked(2, '*', { timeout: 1 }),
  client.next('lobbies.find', {}, { timeout: 1 }),
]
await client.health()
await Promise.allSettled(late)
await mock.reset()

const calls = [
  async () => { await mock.load('nope') },
  async () => { await mock.next('lobbies.fnd') },
  async () => { await mock.blocked(0) },
  async () => { await mock.reset({ seed: 'x' }) },
  async () => { await mock.restore({}) },
  async () => { await mock.worlds.put('a b') },
  async () => { await mock.worlds.delete('default') },
  async () => { await mock.isolated(() => {}, { scenario: 'nope' }) },
  async () => { await mock.lobby({ players: -1 }) },
  async () => { await mock.lobbies(-1) },
  async () => { await mock.player({ lobby_id: 'x' }) },
  async () => { await mock.simulate({ concurrent: -1 }) },
  async () => { await mock.expireDeviceLink('x') },
  async () => { await mock.completeDeviceLink('x') },
  async () => { await mock.setClientLocation('x') },
  async () => { await clock.advance('x') },
  async () => { await clock.set({ now: 'x' }) },
  async () => { await world.lobbies.create({ players: 'x' }) },
  async () => { await world.lobbies.createMany(3, () => ({ players: 'x' })) },
  async () => { await world.lobbies.update('nope', { is_closed: true }) },
  async () => { await world.lobbies.update(isFound, { strict: true, async data() {} }) },
  async () => { await world.lobbies.updateMany(isFound, { data: 1 }) },
  () => { world.lobbies.delete('nope') },
  () => { world.lobbies.findFirst(isFound, { strict: true }) },
  () => { world.transaction(async () => {}) },
  () => { world.transaction(tx => tx.lobbies.create({ bad: 1 })) },
  () => { mock.fail('lobbies.find', 'LOBBY_FULL') },
  () => { mock.delay('lobbies.find', 'x') },
  () => { mock.faults.add({}) },
  () => { mock.on('lobbies.list') },
  () => { mock.override('lobbies.list') },
  () => { mock.use('x') },
  () => { mock.listen('x') },
  () => { mock.lobbyEnvironment('x') },
  () => { mock.explain({}) },
  () => { mock.snapshot({ revision: -1 }) },
  () => { journal.expect('lobbies.find') },
  () => { journal.verify({ operation: 'x' }) },
  () => { setupMockmaker({ scenario: 'nope' }) },
  () => { createClient('x') },
  () => { throw new UsageError('mine') },
  async () => { await client.load('nope') },
  async () => { await client.world.lobbies.create({ bad: 1 }) },
  async () => { await client.fail('lobbies.find', 'LOBBY_FULL') },
  async () => { await client.journal.expect('lobbies.find') },
  async () => { await client.next('lobbies.fnd') },
  async () => { await unreachable.health() },
]

const frames = []
const note = (what, error) => frames.push([what, error.stack.slice(String(error).length + 1).split('\\n')[0]])
for (const call of calls) {
  try {
    await call()
    frames.push([String(call), 'it passed'])
  } catch (error) {
    note(String(call), error)
  }
}
for (const [i, promise] of [...waiting, ...late].entries()) await promise.catch(error => note('waiting ' + i, error))
console.log(JSON.stringify(frames))
await close()
await mock.close()
`

describe('the stack of an error, in Node from the package', () => {
  let project: Project
  let frames: [what: string, first: string][]

  beforeAll(async () => {
    project = await createProject({ 'program.mjs': program })
    frames = JSON.parse(await project.run(process.execPath, ['program.mjs']))
  })
  afterAll(() => project.remove())

  it('begins at the line of the caller', () => {
    expect(frames.length).toBeGreaterThan(45)
    expect(frames.filter(([, first]) => !/^ +at .*program\.mjs:\d+:\d+\)?$/.test(first))).toEqual([])
  })

  it('begins at the call that waits, and not at the one that ends it', () => {
    const lines = program.split('\n')
    const lineOf = (text: string) => lines.findIndex(line => line.startsWith(text)) + 1
    const waits = [
      ...["  mock.next('lobbies.find'),", '  mock.blocked(2),', "  client.next('lobbies.find'),"],
      ...["  mock.next('lobbies.find', {}", '  mock.blocked(2, ', "  client.next('lobbies.find', {}"],
    ]

    expect(
      frames
        .filter(([what]) => what.startsWith('waiting'))
        .map(([, first]) => Number(/:(\d+):\d+\)?$/.exec(first)?.[1])),
    ).toEqual(waits.map(lineOf))
  })
})
