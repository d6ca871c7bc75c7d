import { expect, inject, it } from 'vitest'
import { createClient } from '../../src/client/index.js'
import { createMockmaker } from '../../src/index.js'
import { listen } from '../../src/server/http/index.js'
import type { Frame } from '../specification/frame.js'
import { specification } from '../specification/specification.js'
import type { OpenMock } from '../support/entry-points.js'
import { sendTo, type TestRequest } from '../support/http.js'
import { tanks } from '../support/tanks.js'
import { stateOf } from '../support/worlds.js'

interface Case {
  readonly name: string
  run(there: { readonly mock: Pick<OpenMock, 'send'> }): Promise<void>
}

/** All cases of the specification, one after the other. */
function cases(): Case[] {
  const found: Case[] = []
  const add: Frame['it'] = Object.assign((name: string, run: Case['run']) => void found.push({ name, run }), {
    for:
      <Given>(givens: readonly Given[]) =>
      (name: string, run: (given: Given, there: Parameters<Case['run']>[0]) => Promise<void>) => {
        for (const given of givens) found.push({ name, run: there => run(given, there) })
      },
  })
  specification({ describe: (_, specify) => specify(), it: add })
  return found
}

const workers = 8

/** Two ways to name a world, used alternately by the workers. */
const inWorld = (id: string, i: number) => (sent: TestRequest) =>
  i % 2 === 0
    ? { ...sent, path: `/w/${id}${sent.path}` }
    : { ...sent, headers: { ...sent.headers, 'x-mock-world': id } }

it('8 workers can run the specification at once, each in its own world', async () => {
  const mock = createMockmaker({ scenario: tanks })
  const { url, close } = await listen(mock, { port: 0, host: '127.0.0.1' })
  const { worlds } = createClient(url)
  const untouched = stateOf(mock.world)
  // Others run every case over HTTP, in one world. Here some of them prove that the worlds do not meet.
  const all = cases()
  const some = Math.max(1, Math.floor(all.length / inject('runs')))
  const specified = all.filter((_, i) => i % some === 0)
  const work = async (i: number) => {
    const id = `worker-${i}`
    const sentTo = inWorld(id, i)
    // Each starts at another case, so that they differ at any time. Together they run each case once.
    for (let step = i; step < specified.length; step += workers) {
      const { name, run } = specified[step] as Case
      await worlds.delete(id)
      await worlds.put(id)
      await run({ mock: { send: sent => sendTo(url, sentTo(sent)) } }).catch(error => {
        throw new Error(`${id}, ${name}`, { cause: error })
      })
    }
  }

  const done = await Promise.allSettled(Array.from({ length: workers }, (_, i) => work(i)))

  expect(done.filter(({ status }) => status === 'rejected')).toEqual([])
  expect([all.length > 100, mock.worlds.list().length, stateOf(mock.world)]).toEqual([true, workers + 1, untouched])
  await close()
})
