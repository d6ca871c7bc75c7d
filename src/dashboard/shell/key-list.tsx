import { page } from '../world/page-state.js'
import { type PageAction, pageActions } from './actions.js'

const groups: readonly (readonly [title: string, types: readonly PageAction['type'][]])[] = [
  ['Go', ['View', 'Go', 'Page']],
  ['Time', ['Clock']],
  ['Do', ['Here', 'Do', 'World']],
]

/** The list of all keys. */
export function KeyList() {
  return (
    <>
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
