import { advanceClock, goToNextEvent, toggleClock } from './clock-menu.js'
import { page } from './page-state.js'

// The keys of the page. The list of `?`, and the palette, are drawn from this table.

/** A key of the page. */
export interface PageKey {
  /** The keys as the list shows them. */
  readonly keys: readonly string[]
  readonly group: 'Go' | 'Time' | 'Do'
  readonly text: string
  /** Absent: the key presses a button of the details, or an element of the page has the key itself. */
  readonly run?: (key: string) => void
  /** The text of the button of the details that the key presses. Its action is then in one place. */
  readonly button?: string
  /** True if it changes the world, which is not possible in the past. */
  readonly isChange?: boolean
}

/** Moves to another row of the list with the focus, of the requests, or of the first list. */
function moveInList(key: 'ArrowDown' | 'ArrowUp'): void {
  const list =
    document.activeElement?.closest('.table') ??
    document.querySelector('.requests .table') ??
    document.querySelector('main .table')
  if (!(list instanceof HTMLElement)) return
  list.focus()
  list.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
}

function focusSearch(): void {
  const field = document.querySelector<HTMLInputElement>('main .filter input')
  if (field) field.focus()
  else page.openPalette()
}

/** The buttons with the actions of the open details. */
export function detailsButtons(): HTMLButtonElement[] {
  return [...document.querySelectorAll<HTMLButtonElement>('.details .foot button:enabled')]
}

/** The keys of the page. */
export const pageKeys: readonly PageKey[] = [
  {
    keys: ['W', 'P', 'S'],
    group: 'Go',
    text: 'World, players, servers',
    run: key => page.show(key === 'w' ? 'world' : key === 'p' ? 'players' : 'servers'),
  },
  { keys: ['/'], group: 'Go', text: 'Search this list', run: focusSearch },
  {
    keys: ['J', 'K'],
    group: 'Go',
    text: 'Next, previous row',
    run: key => moveInList(key === 'j' ? 'ArrowDown' : 'ArrowUp'),
  },
  { keys: ['Enter'], group: 'Go', text: 'Open' },
  { keys: ['Esc'], group: 'Go', text: 'Close, then back to now' },
  { keys: ['Ctrl K'], group: 'Go', text: 'Search, or do' },
  { keys: ['?'], group: 'Go', text: 'This list', run: () => (page.dialog.value = 'keys') },
  { keys: ['Space'], group: 'Time', text: 'Freeze, run', run: () => void toggleClock(), isChange: true },
  {
    keys: ['←', '→'],
    group: 'Time',
    text: 'Change by change',
    run: key => page.stepToChange(key === 'arrowleft' ? -1 : 1),
  },
  { keys: ['T'], group: 'Time', text: 'See the world at the chosen row', button: 'See the world then' },
  { keys: ['+'], group: 'Time', text: 'Clock forward by 1 min', run: () => void advanceClock('1m'), isChange: true },
  { keys: ['.'], group: 'Time', text: 'Go to the next due event', run: goToNextEvent, isChange: true },
  { keys: ['N'], group: 'Do', text: 'Make a lobby', run: () => (page.dialog.value = 'new-lobby'), isChange: true },
  { keys: ['F'], group: 'Do', text: 'Make a fault of the chosen row', button: 'Make a fault' },
  { keys: ['C'], group: 'Do', text: 'Copy as curl', button: 'Copy as curl' },
  {
    keys: ['H'],
    group: 'Do',
    text: 'Hold the next find',
    run: () =>
      void page.run(async () => {
        await page.api.call('POST /faults', { body: { operation: 'lobbies.find', effect: { hold: true }, times: 1 } })
        return 'The next find is held.'
      }),
    isChange: true,
  },
]

/** The names that events give the keys of the table. */
const eventNames: Readonly<Record<string, string>> = { Space: ' ', '←': 'arrowleft', '→': 'arrowright' }

/** Returns the key of the table that an event names. */
function keyOf(event: KeyboardEvent): PageKey | undefined {
  const name = event.key.toLowerCase()
  return pageKeys.find(({ keys }) => keys.some(key => (eventNames[key] ?? key.toLowerCase()) === name))
}

/** Tells whether an element takes the keys itself: a field, or a control for the space bar. */
function takesKey(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.closest('input, textarea, select, dialog')) return true
  return key === ' ' && target.closest('button, a, summary, [role=grid]') !== null
}

/** Asks the page itself: `page.modals` counts a closed dialog until the browser has painted. */
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
    const found = keyOf(event)
    const { run, button: text } = found ?? {}
    if ((!run && text === undefined) || (event.key.length === 1 && page.singleKeys.peek() === 'off')) return
    if (found?.isChange && page.isReadOnly.peek()) return
    event.preventDefault()
    if (run) run(event.key.toLowerCase())
    else
      detailsButtons()
        .find(button => button.textContent?.startsWith(text ?? ''))
        ?.click()
  })
}
