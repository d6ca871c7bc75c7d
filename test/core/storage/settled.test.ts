import { fc, test } from '@fast-check/vitest'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { mockOf } from '../../../src/core/mock/facade.js'
import type { MockRequest, MockResponse } from '../../../src/core/pipeline/message.js'
import { StorageError } from '../../../src/core/storage/storage.js'
import { WorldStorage } from '../../../src/core/storage/world-storage.js'
import { createMockmaker } from '../../../src/index.js'
import { Service } from '../../../src/server/http/service.js'
import { memoryStorage } from './memory-storage.js'

const scenario = {
  now: '2026-11-20T20:00:00Z',
  clock: 'frozen',
  game_modes: ['duel'],
  device_links: [{ token: 'device.mock.sofa' }],
} as const

const away = () => new StorageError('the storage is away')

/** Holds back that changes are kept. */
class Gate {
  #state: 'open' | 'shut' | 'broken' = 'shut'
  #waiting: { resolve(): void; reject(error: Error): void }[] = []

  readonly settled = () => {
    if (this.#state === 'broken') throw away()
    if (this.#state === 'open') return undefined
    return new Promise<void>((resolve, reject) => this.#waiting.push({ resolve, reject }))
  }

  /** Keeps all changes until now. */
  keep(): void {
    for (const { resolve } of this.#waiting.splice(0)) resolve()
  }

  open(): void {
    this.#state = 'open'
    this.keep()
  }

  fail(): void {
    for (const { reject } of this.#waiting.splice(0)) reject(away())
  }

  /** Keeps the change of one call, or does not. */
  end(call: number, isKept: boolean): void {
    const [waiting] = this.#waiting.splice(call % Math.max(1, this.#waiting.length), 1)
    if (isKept) waiting?.resolve()
    else waiting?.reject(away())
  }

  /** Makes each call throw. */
  breakDown(): void {
    this.#state = 'broken'
  }

  shut(): void {
    this.#state = 'shut'
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
    const headers = {
      host: '127.0.0.1',
      'content-type': 'application/json',
      accept: path.endsWith('/worlds') ? 'text/event-stream' : '*/*',
      origin: 'http://localhost',
    }
    const request: MockRequest = { method, path: pathname, query, headers, publicUrl: undefined }
    if (body) Object.assign(request, { body: new TextEncoder().encode(JSON.stringify(body)) })
    return await service.serve(request, () => 'http://127.0.0.1').answer()
  }
  return { mock, gate, send }
}

const find = { game_modes: ['duel'] }
const json = ({ body }: MockResponse) => JSON.parse(Buffer.from(body).toString())

/** Reads a stream as its client does. */
function readStream(stream: MockResponse['stream']) {
  const texts: string[] = []
  let ended = false
  const client = {
    send: (text: string) => void texts.push(text),
    end: () => {
      ended = true
    },
    drained: async () => {},
  }
  const end = stream?.(client) ?? (() => {})
  return { texts, end, hasEnded: () => ended }
}

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
    ['PUT', '/__mock/worlds/mine', {}],
    ['GET', '/__mock/worlds', undefined],
    ['GET', '/devices/link/device.mock.sofa', undefined],
  ] as const)('holds back the answer to %s %s', async ([method, path, body]) => {
    const { gate, send } = gated()

    const answer = send(method, path, body)

    expect(await isDone(answer)).toBe(false)
    gate.open()
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

  it('logs the outcome that its call had, whatever follows before it is kept', async () => {
    const { mock, gate, send } = gated()
    const logged: (string | undefined)[] = []
    mockOf(mock, 'test').log.subscribe(({ outcome }) => void logged.push(outcome?.replace(/.* in /, '')))
    const answers = [send('POST', '/matchmaker/lobbies/find', find), send('POST', '/matchmaker/lobbies/find', find)]
    await turn()

    gate.open()

    await Promise.all(answers)
    expect(logged).toEqual(['Atlanta, 1/32', 'Atlanta, 2/32'])
  })
})

describe('a stream', () => {
  it.for([
    ['/__mock/changes', 'begin'],
    ['/__mock/worlds', 'worlds'],
  ] as const)('of GET %s begins once all changes are kept', async ([path, first]) => {
    const { gate, send } = gated()
    gate.open()
    const { stream } = await send('GET', path)
    gate.shut()
    const { texts, end } = readStream(stream)
    await turn()

    expect(texts).toEqual([])
    gate.keep()
    await turn()
    expect(texts[0]).toMatch(`event: ${first}\n`)
    gate.open()
    end()
  })

  it('of a wait is done once all changes are kept', async () => {
    const { mock, gate, send } = gated()
    gate.open()
    const { stream } = await send('POST', '/__mock/journal/blocked', {})
    const { texts } = readStream(stream)
    gate.shut()
    mock.hold('*')
    void send('GET', '/matchmaker/lobbies/list')
    await turn()

    expect(texts).toHaveLength(1)
    gate.keep()
    await turn()
    expect(texts.map(text => text.split('\n')[0])).toEqual(['event: begin', 'event: done'])
  })

  it('ends without the events of a change that is not kept', async () => {
    const { gate, send } = gated()
    gate.open()
    const { stream } = await send('GET', '/__mock/changes')
    const { texts, hasEnded } = readStream(stream)
    gate.shut()
    void send('POST', '/matchmaker/lobbies/find', find)
    await turn()
    gate.fail()
    await turn()

    expect([texts.length, hasEnded()]).toEqual([1, true])
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
    expect(json({ body } as MockResponse)).toEqual({
      code: 'API_UNAVAILABLE',
      message: 'the storage is away. The outcome of this request is unknown: read the world before you send it again',
    })
    expect(mock.journal.find().map(entry => entry.status)).toEqual([503])
  })

  it('refuses reads and control calls that may have seen it', async () => {
    const { gate, send } = gated()
    const answers = [send('GET', '/matchmaker/lobbies/list'), send('GET', '/__mock/lobbies')]
    await turn()
    gate.fail()

    const refused = (await Promise.all(answers)).map(response => [response.status, json(response).message])
    expect(refused).toEqual([
      [503, 'the storage is away'],
      [503, 'the storage is away'],
    ])
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

test.prop([fc.array(fc.constantFrom('write', 'read', 'keep'), { minLength: 3, maxLength: 30 })], {
  numRuns: 3 * inject('runs'),
})('no answer leaves before the changes that it may tell about are kept', async steps => {
  const { mock, gate, send } = gated()
  const answers: Promise<unknown>[] = []
  let answered = 0
  let kept = 0
  for (const step of steps) {
    if (step === 'keep') {
      gate.keep()
      kept = answers.length
    } else {
      const answer =
        step === 'write' ? send('POST', '/matchmaker/lobbies/find', find) : send('GET', '/matchmaker/lobbies/list')
      answers.push(answer.then(() => answered++))
    }
    await turn()
    expect(answered).toBe(kept)
  }
  gate.open()
  await Promise.all(answers)
  await mock.close()
})
