import { Button } from '../ui/controls.js'
import { page } from '../world/page-state.js'
import { type PageAction, pageActions, saveSession } from './actions.js'

const groups: readonly (readonly [title: string, types: readonly PageAction['type'][]])[] = [
  ['Go', ['View', 'Go', 'Page']],
  ['Time', ['Clock']],
  ['Do', ['Here', 'Do']],
]

/** The list of all keys. */
export function KeyList() {
  return (
    <>
      <h3>Docs</h3>
      <p>
        In the package: <code>docs/README.md</code>
      </p>
      <h3>Something is wrong?</h3>
      <p>
        Attach the session to your report: one file with this world and its past.{' '}
        <Button class="link" onClick={saveSession}>
          Save the session
        </Button>
      </p>
      {groups.map(([title, types]) => (
        <section key={title}>
          <h3>{title}</h3>
          <dl>
            {pageActions
              .filter(({ key, type }) => key !== undefined && types.includes(type))
              .map(({ id, key, label }) => [
                <dt key={`${id} key`}>
                  <kbd>{key}</kbd>
                </dt>,
                <dd key={id}>{label}</dd>,
              ])}
          </dl>
        </section>
      ))}
      {page.singleKeys.value === 'off' && <p class="muted">Single letters are off. The palette switches them on.</p>}
    </>
  )
}
