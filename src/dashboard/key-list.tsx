import { pageKeys } from './keys.js'
import { page } from './page-state.js'

/** The list of all keys. */
export function KeyList() {
  return (
    <>
      {(['Go', 'Time', 'Do'] as const).map(group => (
        <section key={group}>
          <h3>{group}</h3>
          <dl>
            {pageKeys
              .filter(key => key.group === group)
              .map(({ keys, text }) => [
                <dt key={`${text} keys`}>
                  {keys.map(key => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dt>,
                <dd key={text}>{text}</dd>,
              ])}
          </dl>
        </section>
      ))}
      {page.singleKeys.value === 'off' && <p class="muted">Single letters are off. The palette switches them on.</p>}
    </>
  )
}
