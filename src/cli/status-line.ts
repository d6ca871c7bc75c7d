import { counted } from '../lib/text.js'
import { timeOfDay } from '../lib/time.js'
import type { MockWorld } from '../mock/mock-world.js'
import { playersInLobbies } from './banner.js'
import type { Console } from './output.js'

/** The least time between two texts, in real ms. */
const updateMs = 250

/** A status line that follows the world `default`. */
export interface StatusLine {
  /** Shows it, also after `hide`. */
  show(): void
  /** Removes it until `show`. */
  hide(): void
}

/** Shows the status of the world `default` below all other lines: after changes, and while its clock runs, a few times a second. */
export function showStatusLine(mock: MockWorld, console: Pick<Console, 'showStatus'>): StatusLine {
  const textOf = statusTexts(mock)
  let shown: string | undefined
  let timer: NodeJS.Timeout | undefined
  let unsubscribe = () => {}
  const updateSoon = () => {
    timer ??= setTimeout(update, updateMs).unref()
  }
  const update = () => {
    timer = undefined
    const text = textOf()
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

/**
 * Returns a function that describes the world `default`: `20:14:15 ×60 · 36 players in 5 lobbies · 1 fault · 2 waiting`. It
 * counts players only after a change.
 */
export function statusTexts(mock: MockWorld): () => string {
  const { world, faults } = mock
  let counts: { readonly revision: number; readonly text: string } | undefined
  return () => {
    if (counts?.revision !== world.revision) counts = { revision: world.revision, text: playersInLobbies(world) }
    const [faultCount, waiting] = [faults.list().length, mock.pending.count()]
    const parts = [
      clockText(mock),
      counts.text,
      ...(faultCount > 0 ? [counted(faultCount, 'fault', 'faults')] : []),
      ...(waiting > 0 ? [`${waiting} waiting`] : []),
    ]
    return parts.join(' · ')
  }
}

function clockText({ clock }: Pick<MockWorld, 'clock'>): string {
  const time = timeOfDay(clock.now())
  if (clock.mode === 'frozen') return `${time} frozen`
  return clock.rate === 1 ? time : `${time} ×${clock.rate}`
}
