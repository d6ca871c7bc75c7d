import { timeOfDay } from '../lib/time.js'
import type { ServableMock } from '../mock/mock.js'
import { counted, playersInLobbies } from './banner.js'
import type { Console } from './output.js'

/** The line is checked for a new text after each of these times, in real ms. */
const updateMs = 250

/** A status line that follows the world `default`. */
export interface StatusLine {
  /** Shows it, also after `hide`. */
  show(): void
  /** Removes it until `show`. */
  hide(): void
}

/** Shows the status of the world `default` below all other lines, a few times a second if it has changed. */
export function showStatusLine(mock: ServableMock, console: Pick<Console, 'showStatus'>): StatusLine {
  const textOf = statusTexts(mock)
  let shown: string | undefined
  let timer: NodeJS.Timeout | undefined
  const update = () => {
    const text = textOf()
    if (text === shown) return
    shown = text
    console.showStatus(text)
  }
  const hide = () => {
    clearInterval(timer)
    shown = undefined
    console.showStatus('')
  }
  const show = () => {
    clearInterval(timer)
    timer = setInterval(update, updateMs).unref()
    shown = undefined
    update()
  }
  show()
  return { show, hide }
}

/**
 * Returns a function that describes the world `default`: `20:14:15 ×60 · 36 players in 5 lobbies · 1 fault · 2 waiting`. It
 * counts players only after a change.
 */
export function statusTexts(mock: ServableMock): () => string {
  const { world, faults } = mock
  let counts: { readonly revision: number; readonly text: string } | undefined
  return () => {
    if (counts?.revision !== world.revision) counts = { revision: world.revision, text: playersInLobbies(world) }
    const [faultCount, waiting] = [faults.list().length, mock.pendingCount]
    const parts = [
      clockText(mock),
      counts.text,
      ...(faultCount > 0 ? [counted(faultCount, 'fault', 'faults')] : []),
      ...(waiting > 0 ? [`${waiting} waiting`] : []),
    ]
    return parts.join(' · ')
  }
}

function clockText({ clock }: Pick<ServableMock, 'clock'>): string {
  const time = timeOfDay(clock.now())
  if (clock.mode === 'frozen') return `${time} frozen`
  return clock.rate === 1 ? time : `${time} ×${clock.rate}`
}
