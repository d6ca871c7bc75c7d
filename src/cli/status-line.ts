import { type WorldStatus, worldStatus } from '../control/status.js'
import { counted } from '../lib/text.js'
import { timeOfDay } from '../lib/time.js'
import type { MockWorld } from '../mock/mock-world.js'
import { playersInLobbies } from './banner.js'
import type { Console } from './output.js'

/** The least time between two texts, in real ms. */
const updateMs = 250

/** The time between two questions about a world that another process may run, in real ms. */
const askMs = 1_000

/** A status line that follows the world `default`. */
export interface StatusLine {
  /** Shows it, also after `hide`. */
  show(): void
  /** Removes it until `show`. */
  hide(): void
}

/** Shows the status of a world below all other lines: after changes, and while its clock runs, a few times a second. */
export function showStatusLine(mock: MockWorld, console: Pick<Console, 'showStatus'>): StatusLine {
  let shown: string | undefined
  let timer: NodeJS.Timeout | undefined
  let unsubscribe = () => {}
  const updateSoon = () => {
    timer ??= setTimeout(update, updateMs).unref()
  }
  const update = () => {
    timer = undefined
    const text = statusText(worldStatus(mock))
    if (text !== shown) console.showStatus(text)
    shown = text
    // No event tells that time passes.
    if (mock.clock.mode === 'running') updateSoon()
  }
  const end = () => {
    unsubscribe()
    clearTimeout(timer)
    timer = undefined
    shown = undefined
  }
  const hide = () => {
    end()
    console.showStatus('')
  }
  const show = () => {
    end()
    unsubscribe = mock.states.subscribe(updateSoon, () => {})
    update()
  }
  show()
  return { show, hide }
}

/** Shows the status of a world that another process may run: asks for it once a second. */
export function showAskedStatusLine(ask: () => Promise<WorldStatus>, console: Pick<Console, 'showStatus'>): StatusLine {
  let timer: NodeJS.Timeout | undefined
  /** The number of calls of `show` and `hide`: an answer to an earlier question comes too late. */
  let calls = 0
  const update = async (call: number) => {
    const text = await ask().then(statusText, () => 'the world does not answer')
    if (call !== calls) return
    console.showStatus(text)
    timer = setTimeout(() => void update(call), askMs).unref()
  }
  const hide = () => {
    calls += 1
    clearTimeout(timer)
    console.showStatus('')
  }
  const show = () => {
    calls += 1
    clearTimeout(timer)
    void update(calls)
  }
  show()
  return { show, hide }
}

/** Describes a world: `20:14:15 ×60 · 36 players in 5 lobbies · 1 fault · 2 waiting`. */
export function statusText(status: WorldStatus): string {
  const { clock, faults, waiting } = status
  const parts = [
    clockText(clock),
    playersInLobbies(status),
    ...(faults > 0 ? [counted(faults, 'fault', 'faults')] : []),
    ...(waiting > 0 ? [`${waiting} waiting`] : []),
  ]
  return parts.join(' · ')
}

function clockText({ mode, rate, now }: WorldStatus['clock']): string {
  const time = timeOfDay(Date.parse(now))
  if (mode === 'frozen') return `${time} frozen`
  return rate === 1 ? time : `${time} ×${rate}`
}
