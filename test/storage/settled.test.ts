import { fc, test } from '@fast-check/vitest'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Service } from '../../src/http/service.js'
import { createMockmaker } from '../../src/index.js'
import { mockOf } from '../../src/mock/facade.js'
import type { MockRequest, MockResponse } from '../../src/server/message.js'
import { StorageError } from '../../src/storage/storage.js'
import { WorldStorage } from '../../src/storage/world-storage.js'
import { memoryStorage } from '../support/memory-storage.js'

const scenario = {
  now: '2026-11-20T20:00:00Z',
  clock: 'frozen',
  game_modes: ['duel'],
  device_links: [{ token: 'device.mock.sofa' }],
} as const

/** Holds back that changes are kept. */
class Gate {
  #isShut = true
  #waiting: { resolve(): void; reject(error: Error): void }[] = []

  readonly settled = () =>
    this.#isShut ? new Promise<void>((resolve, reject) => this.#waiting.push({ resolve, reject })) : undefined

  /** Keeps all changes until now. */
  keep(): void {
    for (const { resolve } of this.#waiting.splice(0)) resolve()
  }

  open(): void {
    this.#isShut = false
    this.keep()
  }

  fail(): void {
    for (const { reject } of this.#waiting.splice(0)) reject(new StorageError('the storage is away'))
  }
}

/** A mock whose changes are kept when the gate says so. */
function gated() {
  const mock = createMockmaker({ scenario })
  const gate = new Gate()
  const storage = new WorldStorage(memoryStorage({ settled: gate.settled }))
  mockOf(mock, 'test').keepIn({ storage, dataTtlMs: Number.POSITIVE_INFINITY })
  const service = new Service(mockOf(mock, 'test'))
  onTestFinished(async () => {
    gate.open()
    await mock.close()
  })
  const send = async (method: string, path: string, body?: object): Promise<MockResponse> => {
    const [pathname = '', query = ''] = path.split('?')
    const headers = { host: '127.0.0.1', 'content-type': 'application/json', origin: 'http://localhost' }
    const request: MockRequest = { method, path: pathname, query, headers, publicUrl: undefined }
    if (body) Object.assign(request, { body: new TextEncoder().encode(JSON.stringify(body)) })
    return await service.serve(request, () => 'http://127.0.0.1').answer()
  }
  return { mock, gate, send }
}

const find = { game_modes: ['duel'] }
const json = ({ body }: MockResponse) => JSON.parse(Buffer.from(body).toString())

/** Lets all promises run that can. */
const turn = () => new Promise(resolve => setImmediate(resolve))

/** Tells whether a promise has settled. */
async function isDone(promise: Promise<unknown>): Promise<boolean> {
  let done = false
  const end = () => {
    done = true
  }
  promise.then(end, end)
  await turn()
  return done
}

describe('a change that is not kept yet', () => {
  it.for([
    ['POST', '/matchmaker/lobbies/find', find],
    ['GET', '/matchmaker/lobbies/list', undefined],
    ['GET', '/matchmaker/nowhere', undefined],
    ['GET', '/__mock/lobbies', undefined],
    ['GET', '/__mock/lobbies/none', undefined],
    ['POST', '/__mock/lobbies', { lobby_id: 'mine' }],
    ['POST', '/__mock/reset', {}],
  ] as const)('holds back the answer to %s %s', async ([method, path, body]) => {
    const { gate, send } = gated()

    const answer = send(method, path, body)

    expect(await isDone(answer)).toBe(false)
    gate.keep()
    expect(await isDone(answer)).toBe(true)
  })

  it('holds back the answer of a watch that it wakes', async () => {
    const { mock, gate, send } = gated()
    const path = '/cloud/devices/links?device_link_token=device.mock.sofa'
    const first = send('GET', path)
    gate.keep()
    const { watch } = json(await first)
    const woken = send('GET', `${path}&watch_index=${watch.index}`)
    await turn()

    await mock.completeDeviceLink('device.mock.sofa')

    expect(await isDone(woken)).toBe(false)
    gate.keep()
    expect(json(await woken)).toHaveProperty('cloud_token')
  })

  it('holds back its events, journal entries and log lines, in their order', async () => {
    const { mock, gate, send } = gated()
    const seen: string[] = []
    const events = mock.changes()
    const read = async () => {
      for await (const { type } of events) seen.push(type)
    }
    const logged: number[] = []
    mockOf(mock, 'test').log.subscribe(({ status }) => logged.push(status))
    void read()

    const answer = send('POST', '/matchmaker/lobbies/find', find)
    await turn()

    expect({ seen, logged, journal: mock.journal.find() }).toEqual({ seen: [], logged: [], journal: [] })
    gate.open()
    await answer
    await turn()
    expect({ seen, logged }).toEqual({ seen: ['change', 'exchange'], logged: [200] })
    await events.return?.()
  })
})

describe('a change that is not kept', () => {
  it('is answered with 503, which other origins may read', async () => {
    const { mock, gate, send } = gated()
    const answer = send('POST', '/matchmaker/lobbies/find', find)
    await turn()
    gate.fail()

    const { status, headers, body } = await answer

    expect(status).toBe(503)
    expect(headers).toMatchObject({ 'retry-after': '1', 'access-control-allow-origin': 'http://localhost' })
    expect(json({ body } as MockResponse)).toEqual({ code: 'API_UNAVAILABLE', message: 'the storage is away' })
    expect(mock.journal.find().map(entry => entry.status)).toEqual([503])
  })

  it('refuses reads and control calls that may have seen it', async () => {
    const { gate, send } = gated()
    const answers = [send('GET', '/matchmaker/lobbies/list'), send('GET', '/__mock/lobbies')]
    await turn()
    gate.fail()

    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([503, 503])
  })

  it('ends the events, so that their reader begins again after the last one', async () => {
    const { mock, gate, send } = gated()
    const events = mock.changes()
    const next = events.next()
    void send('POST', '/matchmaker/lobbies/find', find)
    await turn()
    gate.fail()

    await expect(next).rejects.toThrow('the storage is away')
  })
})

test.prop([fc.array(fc.constantFrom('write', 'read', 'keep'), { minLength: 3, maxLength: 30 })])(
  'answers leave in the order of their requests, each after the changes before it',
  async steps => {
    const { mock, gate, send } = gated()
    const order: number[] = []
    const kept: number[] = []
    let sent = 0
    const answers: Promise<unknown>[] = []
    for (const step of steps) {
      if (step === 'keep') {
        gate.keep()
        await turn()
        kept.push(order.length)
        continue
      }
      const number = sent++
      const request =
        step === 'write' ? send('POST', '/matchmaker/lobbies/find', find) : send('GET', '/matchmaker/lobbies/list')
      answers.push(request.then(() => order.push(number)))
      await turn()
      // Nothing leaves before it is kept.
      expect(order.length).toBe(kept.at(-1) ?? 0)
    }
    gate.open()
    await Promise.all(answers)

    expect(order).toEqual(answers.map((_, i) => i))
    await mock.close()
  },
)
