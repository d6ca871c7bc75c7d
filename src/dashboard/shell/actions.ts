import { failNextFind, findSeat, invitesToFind } from '../requests/find-seat.js'
import { openDialog, runAction, saveFile, scenarioMenu } from '../ui/screen.js'
import { copyParts } from '../world/copy.js'
import { page } from '../world/page-state.js'
import { advanceClock, goToNextEvent, setClock, toggleClock } from './clock-menu.js'
import { resetWorld } from './scenario-menu.js'
import { views } from './views.js'

// What the user can do on the page. The keys, their list and the palette read this table.

/** An action of the page. */
export interface PageAction {
  readonly id: string
  readonly label: string
  /** `Here`: the action of the open details with this id. `Go`: only its key runs it, and the palette does not list it. */
  readonly type: 'Go' | 'View' | 'Here' | 'Clock' | 'Do' | 'World' | 'Page' | 'Past'
  /** Its key, as the list of keys shows it. */
  readonly key?: string
  /** Tells whether the user can do it now. Default: always. */
  when?(): boolean
  /** Absent: the open details have it, or an element of the page has the key itself. */
  run?(): void
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

async function holdNextFind(): Promise<string> {
  await page.api.call('POST /faults', { body: { operation: 'lobbies.find', effect: { hold: true }, times: 1 } })
  return 'The next find is held.'
}

/** Saves the world with its past, in one file that is a page. */
export async function saveSession(): Promise<void> {
  if (copyParts) return copyParts.save()
  await runAction(async () => saveFile('bug.html', await page.api.text('GET /capsule', { query: {} }, 'text/html')))
}

const open = (dialog: string) => () => void (openDialog.value = dialog)
const run = (mode: { readonly rate: number }) => () => void setClock({ mode: 'running', ...mode })
const setKeys = (to: 'on' | 'off') => ({
  when: () => page.singleKeys.value !== to,
  run: () => void (page.singleKeys.value = to),
})

/** For actions that change the world, which the past does not allow. */
const when = () => !page.isReadOnly.value
const isPast = () => page.past.value !== undefined

const viewKeys: { readonly [view: string]: string } = { world: 'W', players: 'P', servers: 'S' }

/** The actions of the page, in the order in which the palette lists them. */
export const pageActions: readonly PageAction[] = [
  { id: 'search', key: '/', type: 'Go', label: 'Search this list', run: focusSearch },
  { id: 'next-row', key: 'J', type: 'Go', label: 'Next row', run: () => moveInList('ArrowDown') },
  { id: 'previous-row', key: 'K', type: 'Go', label: 'Previous row', run: () => moveInList('ArrowUp') },
  { id: 'open', key: 'Enter', type: 'Go', label: 'Open' },
  { id: 'close', key: 'Esc', type: 'Go', label: 'Close, then back to now' },
  { id: 'palette', key: 'Ctrl K', type: 'Go', label: 'Search, or do' },
  { id: 'see-then', key: 'T', type: 'Here', label: 'See the world then' },
  { id: 'make-fault', key: 'F', type: 'Here', label: 'Make a fault of the request' },
  { id: 'copy-curl', key: 'C', type: 'Here', label: 'Copy as curl' },
  { id: 'toggle-clock', key: 'Space', type: 'Clock', label: 'Freeze, run', when, run: () => void toggleClock() },
  { id: 'back', key: '←', type: 'Clock', label: 'One change back', run: () => page.stepToChange(-1) },
  { id: 'forward', key: '→', type: 'Clock', label: 'One change forward', run: () => page.stepToChange(1) },
  { id: 'minute', key: '+', type: 'Clock', label: 'Clock forward by 1 min', when, run: () => void advanceClock('1m') },
  { id: 'next-event', key: '.', type: 'Clock', label: 'Go to the next due event', when, run: goToNextEvent },
  { id: 'find', key: 'Enter', type: 'Do', label: 'Find a seat', when: invitesToFind, run: () => void findSeat() },
  { id: 'fail', key: 'F', type: 'Do', label: 'Fail the next find', when, run: () => void failNextFind() },
  { id: 'new-lobby', key: 'N', type: 'Do', label: 'Make a lobby', when, run: open('new-lobby') },
  { id: 'hold', key: 'H', type: 'Do', label: 'Hold the next find', when, run: () => void runAction(holdNextFind) },
  { id: 'real-time', type: 'Clock', label: 'Run at ×1', when, run: run({ rate: 1 }) },
  { id: 'faster', type: 'Clock', label: 'Run at ×60', when, run: run({ rate: 60 }) },
  { id: 'hour', type: 'Clock', label: 'Clock forward by 1 h', when, run: () => void advanceClock('1h') },
  { id: 'reset', type: 'World', label: 'Reset to the start', when, run: () => resetWorld([]) },
  { id: 'fork', type: 'World', label: 'Fork this world', when, run: () => void page.fork(undefined) },
  { id: 'load', type: 'World', label: 'Load a scenario', when, run: open(scenarioMenu) },
  {
    ...{ id: 'save', type: 'World', label: 'Save the session', run: () => void saveSession() },
    ...(copyParts && { key: 'Ctrl S' }),
  },
  { id: 'new-mode', type: 'World', label: 'Add a game mode', when, run: open('new-game-mode') },
  ...views.map(
    ({ name, title }): PageAction => ({
      ...{ id: name, type: 'View', label: title, run: () => page.show(name) },
      ...(viewKeys[name] && { key: viewKeys[name] }),
    }),
  ),
  { id: 'connect', type: 'Page', label: 'Connect a client', run: open('connect') },
  { id: 'keys', key: '?', type: 'Page', label: 'Keys', run: open('keys') },
  { id: 'keys-off', type: 'Page', label: 'Switch single letters off', ...setKeys('off') },
  { id: 'keys-on', type: 'Page', label: 'Switch single letters on', ...setKeys('on') },
  { id: 'now', type: 'Past', label: 'Back to now', when: isPast, run: () => page.travelToNow() },
  {
    ...{ id: 'fork-past', type: 'Past', label: 'Fork from here', when: isPast },
    run: () => void page.fork(page.past.value?.revision),
  },
]
