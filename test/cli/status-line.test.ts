import { EventEmitter } from 'node:events'
import { fc, it as property } from '@fast-check/vitest'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createConsole } from '../../src/cli/output.js'
import { showStatusLine, statusText } from '../../src/cli/status-line.js'
import { createLobbies } from '../../src/control/creators.js'
import { worldStatus } from '../../src/control/status.js'
import type { ScenarioInput } from '../../src/index.js'
import { createMock, type Mock } from '../../src/mock/mock.js'
import { terminal, written } from '../support/console.js'
import { ask } from '../support/http.js'
import { Screen } from '../support/screen.js'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'setImmediate', 'setInterval', 'clearInterval'] }))

type Step = readonly ['print' | 'warn' | 'status', string] | readonly ['wait', '']

const text = fc.string({ unit: 'grapheme-ascii', maxLength: 120 })
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(fc.constantFrom('print', 'warn', 'status'), text),
  fc.constant(['wait', ''] as const),
)

describe('a status line', () => {
  property.prop([fc.array(step, { maxLength: 40 }), fc.integer({ min: 2, max: 100 })])(
    'is the last line, once, below all log lines in their order',
    async (steps, columns) => {
      const { console, lines, exit } = terminal({ columns })
      const [printed, warned]: [string[], string[]] = [[], []]
      let status = ''
      for (const [kind, text] of steps) {
        // Both streams number their lines, because warnings overtake lines that wait.
        if (kind === 'print') console.print(`p${printed.push(text)} ${text}`)
        if (kind === 'warn') console.warn(`w${warned.push(text)} ${text}`)
        if (kind === 'wait') await written()
        if (kind !== 'status') continue
        status = text
        console.showStatus(text)
      }
      await written()

      const shown = lines()
      expect(shown.at(-1)).toBe(status.slice(0, columns - 1))
      const logged = shown.slice(0, -1)
      expect(logged.filter(line => line.startsWith('p'))).toEqual(printed.map((text, i) => `p${i + 1} ${text}`))
      expect(logged.filter(line => line.startsWith('w'))).toEqual(warned.map((text, i) => `w${i + 1} ${text}`))
      expect(logged).toHaveLength(printed.length + warned.length)

      exit()
      expect(lines()).toEqual([...logged, ''])
    },
  )

  it('fits the width after a resize', () => {
    const { console, output, resize } = terminal({ columns: 40 })
    console.showStatus('x'.repeat(100))

    resize(20)

    expect(new Screen(40).write(output()).lines()).toEqual(['x'.repeat(19)])
  })

  it('stays below a cleared screen', () => {
    const { console, lines } = terminal()
    console.showStatus('status')

    console.clear()

    expect(lines()).toEqual(['status'])
  })

  it('writes nothing if its text is the same', () => {
    const { console, output } = terminal()
    console.showStatus('status')
    const before = output()

    console.showStatus('status')

    expect(output()).toBe(before)
  })

  it('is dim, and plain with NO_COLOR', () => {
    const [dim, plain] = [terminal({ env: {} }), terminal()]
    for (const { console } of [dim, plain]) console.showStatus('status')

    expect([dim.output(), plain.output()]).toEqual(['\u001b[2mstatus\u001b[22m', 'status'])
  })

  it('is not there if standard output is no terminal', () => {
    const { console, output, exit } = terminal()
    const piped = new EventEmitter()
    const write = vi.fn(() => true)
    const stdout = Object.assign(piped, { write, writableNeedDrain: false })
    const process = Object.assign(new EventEmitter(), { stdout, stderr: stdout, env: {} })
    const inPipe = createConsole(process as unknown as NodeJS.Process) // it uses no other part of a process

    inPipe.showStatus('status')
    process.emit('exit')
    exit()
    console.showStatus('')

    expect([write.mock.calls, output()]).toEqual([[], ''])
  })
})

/** The status of the world `default`. */
function textOf(mock: Mock): string {
  return statusText(worldStatus(mock.default))
}

/** A mock that ends with the test. */
function mockOf(scenario: ScenarioInput) {
  const mock = createMock({ scenario })
  onTestFinished(() => mock.close())
  return mock
}

const evening: ScenarioInput = {
  now: '2026-11-20T20:14:15Z',
  clock: { mode: 'frozen', rate: 60 },
  game_modes: ['duel'],
  lobbies: [{ players: [{}, {}] }, { status: 'stopped' }, {}],
}

describe('the status of a world', () => {
  it('has the time, the players with a seat, and the lobbies that have not stopped', () => {
    expect(textOf(mockOf(evening))).toBe('20:14:15 frozen · 2 players in 2 lobbies')
  })

  it('has the rate of a clock that runs at another one than ×1', async () => {
    const mock = mockOf(evening)
    const text = () => textOf(mock)

    await mock.default.clock.set({ mode: 'running' })
    const fast = text()
    await mock.default.clock.set({ rate: 1 })

    expect(fast).toMatch(/^20:14:\d\d ×60 · /)
    expect(text()).toMatch(/^20:1\d:\d\d · /)
  })

  it('has the faults, and the requests that wait', async () => {
    const mock = mockOf(evening)
    const text = () => textOf(mock)
    mock.default.faults.add({ effect: { hold: true }, operation: 'lobbies.list' })
    const answer = ask(mock, { method: 'GET', path: '/matchmaker/lobbies/list' })

    const during = text()
    mock.default.faults.clear()
    await answer

    expect(during).toBe('20:14:15 frozen · 2 players in 2 lobbies · 1 fault · 1 waiting')
    expect(text()).toBe('20:14:15 frozen · 2 players in 2 lobbies')
  })

  it('follows changes of the world', async () => {
    const mock = mockOf(evening)
    const text = () => textOf(mock)
    text()

    createLobbies(mock.default.world, [{}])

    expect(text()).toBe('20:14:15 frozen · 2 players in 3 lobbies')
  })
})

describe('the status line of a mock', () => {
  it('is shown at once, and again after a change, at most four times a second', async () => {
    const mock = mockOf(evening)
    const { console, lines } = terminal()
    const showStatus = vi.fn(console.showStatus)
    const status = showStatusLine(mock.default, { showStatus })

    for (let i = 0; i < 100; i += 1) {
      createLobbies(mock.default.world, [{}])
      await vi.advanceTimersByTimeAsync(10)
    }
    await vi.advanceTimersByTimeAsync(10_000)

    expect(lines()).toEqual(['20:14:15 frozen · 2 players in 102 lobb'])
    expect(showStatus).toHaveBeenCalledTimes(5)
    status.hide()
    expect(lines()).toEqual([''])
  })

  it('needs no timer while a frozen world does not change, and follows faults and waiting requests', async () => {
    const mock = mockOf(evening)
    const { console, lines } = terminal({ columns: 80 })
    const status = showStatusLine(mock.default, console)
    await written()
    const timers = vi.spyOn(globalThis, 'setTimeout')
    await vi.advanceTimersByTimeAsync(5_000)
    const idle = timers.mock.calls.length
    timers.mockRestore()

    mock.default.faults.add({ operation: 'lobbies.list', effect: { hold: true } })
    const answer = ask(mock, { method: 'GET', path: '/matchmaker/lobbies/list' })
    await vi.advanceTimersByTimeAsync(300)
    const during = lines()
    mock.default.faults.clear()
    status.hide()
    status.show()
    await answer
    await vi.advanceTimersByTimeAsync(300)

    expect(idle).toBe(0)
    expect(during).toEqual(['20:14:15 frozen · 2 players in 2 lobbies · 1 fault · 1 waiting'])
    expect(lines()).toEqual(['20:14:15 frozen · 2 players in 2 lobbies'])
    status.hide()
  })

  it('shows the time of a clock that runs', async () => {
    const mock = mockOf({ ...evening, clock: { mode: 'running', rate: 60 } })
    const { console, lines } = terminal({ columns: 80 })
    const status = showStatusLine(mock.default, console)
    await written()
    const [before] = lines()

    await vi.waitFor(async () => {
      await vi.advanceTimersByTimeAsync(250)
      expect(lines()).not.toEqual([before])
    })
    status.hide()
  })
})
