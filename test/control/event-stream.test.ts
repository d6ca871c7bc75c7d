import { expect, it } from 'vitest'
import { eventStream, type MockEvent, type MockEvents } from '../../src/control/events.js'
import { createMockmaker } from '../../src/index.js'
import { flushPromises } from '../support/worlds.js'

/** What a client is sent of these events, until its stream ends. */
async function sent(events: () => AsyncGenerator<MockEvent, undefined>): Promise<string[]> {
  const texts: string[] = []
  const begin = () => Object.assign(events(), { after: 'run-0' }) as MockEvents // all of it that a stream uses
  const { stream } = eventStream(createMockmaker().world, begin)
  await new Promise<void>(end => stream?.({ send: text => texts.push(text), end, drained: flushPromises }))
  return texts
}

it('tells of an event that cannot be told that it was there, and goes on', async () => {
  const told = await sent(async function* () {
    // Stands for a change set that is longer than a text can be.
    yield { type: 'change', id: 'run-1', data: { revision: 1n } as never }
    yield { type: 'change', id: 'run-2', data: { revision: 2, at: '', puts: [], deletes: [] } }
    return undefined
  })

  expect(told[1]).toMatch(/"revision":\d+/)
  expect(told.map(text => text.split('\n').slice(0, 2))).toEqual([
    ['event: begin', 'id: run-0'],
    ['event: gone', 'id: run-1'],
    ['event: change', 'id: run-2'],
    ['event: end', 'data: {}'],
  ])
})

it('ends the stream where the events fail', async () => {
  const told = await sent(async function* () {
    yield { type: 'change', id: 'run-1', data: { revision: 1, at: '', puts: [], deletes: [] } }
    throw new Error('unforeseen')
  })

  expect(told).toHaveLength(2)
})
