import { Button, Menu } from '../ui/controls.js'
import { Icon } from '../ui/icons.js'
import { openDialog } from '../ui/screen.js'
import type { ViewName } from '../world/address.js'
import { page } from '../world/page-state.js'
import { saveSession } from './actions.js'

/** Lists the help if something is wrong, the keys, and the place of the docs. */
export function HelpMenu() {
  return (
    <Menu id="help" class="end help" buttonClass="quiet square" name="Help" label={<Icon name="help" />}>
      {() => (
        <>
          <Button class="choice" onClick={() => (openDialog.value = 'wrong')}>
            Something is wrong?
          </Button>
          <Button class="choice" onClick={() => (openDialog.value = 'keys')}>
            Keys <kbd>?</kbd>
          </Button>
          <Docs page="README" />
        </>
      )}
    </Menu>
  )
}

const symptoms: readonly (readonly [symptom: string, view: ViewName, what: string])[] = [
  ['A player was kicked, or never got in', 'players', 'Players: each story says why'],
  ['An answer is an error, or another one than you expect', 'requests', 'Requests: click one to see why'],
  ['A client asks too often, or a server forgets a call', 'warnings', 'Warnings: what to change'],
  ['A game server crashes, or is never ready', 'servers', 'Servers: states and logs'],
  ['Answers are slow, or fail now and then', 'faults', 'Faults: what is on'],
  ['A device waits for ever', 'devices', 'Devices: its link'],
]

/** The place to look, by what is wrong. */
export function Wrong() {
  const show = (view: ViewName) => {
    openDialog.value = undefined
    page.show(view)
  }
  return (
    <>
      <ul class="lines">
        {symptoms.map(([symptom, view, what]) => (
          <li key={view}>
            <span>{symptom}</span>
            <Button onClick={() => show(view)}>{what}</Button>
          </li>
        ))}
      </ul>
      <p>
        For a report, one file with this world and its past:{' '}
        <Button class="link" onClick={saveSession}>
          Save the session
        </Button>
      </p>
      <Docs page="something-is-wrong" />
    </>
  )
}

function Docs({ page }: { readonly page: string }) {
  return (
    <p class="muted">
      Docs, in the package: <code>docs/{page}.md</code>
    </p>
  )
}
