import { page } from '../world/page-state.js'
import { openActions } from '../world/panes.js'
import { pageActions } from './actions.js'

/** The names that events give the keys of the table. */
const eventNames: Readonly<Record<string, string>> = { Space: ' ', '←': 'arrowleft', '→': 'arrowright' }

/** Returns what the key of an event does now. */
function actionOf(event: KeyboardEvent): (() => unknown) | undefined {
  const name = event.key.toLowerCase()
  for (const { id, key = '', type, when, run } of pageActions) {
    if ((eventNames[key] ?? key.toLowerCase()) !== name || when?.() === false) continue
    // What is open comes first, and has the key only then.
    const here = page.opened.peek() ? openActions.peek() : []
    const found = type === 'Here' ? here.find(one => one.id === id && !one.isOff)?.run : run
    if (found) return found
  }
  return undefined
}

/** Tells whether an element takes the keys itself: a field, or a control for the space bar and Enter. */
function takesKey(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.closest('input, textarea, select, dialog')) return true
  return (key === ' ' || key === 'Enter') && target.closest('button, a, summary, [role=grid]') !== null
}

/** Asks the page itself: `modals` counts a closed dialog until the browser has painted. */
function isModalOpen(): boolean {
  return document.querySelector('dialog[open]') !== null
}

/** Follows the keys of the page. */
export function listenToKeys(): void {
  addEventListener('keydown', event => {
    if (event.defaultPrevented) return
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault()
      if (!document.querySelector('.palette[open]')) page.openPalette()
      return
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'Escape') {
      // A modal dialog closes itself.
      if (isModalOpen()) return
      const { activeElement } = document
      if (activeElement instanceof HTMLInputElement || activeElement instanceof HTMLTextAreaElement)
        activeElement.blur()
      else page.closeTop()
      return
    }
    if (isModalOpen() || takesKey(event.target, event.key)) return
    if (event.key.length === 1 && page.singleKeys.peek() === 'off') return
    const run = actionOf(event)
    if (!run) return
    event.preventDefault()
    run()
  })
}
