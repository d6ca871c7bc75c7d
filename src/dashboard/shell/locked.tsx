import { useSignal } from '@preact/signals'
import { Field } from '../ui/controls.js'
import { controlToken, keepControlToken } from '../world/control-token.js'
import { page } from '../world/page-state.js'

/** Asks for the control token while the mock refuses the page. */
export function Locked() {
  const token = useSignal('')
  if (page.live.connection.value !== 'locked') return null
  const isFirst = controlToken() === undefined
  const open = (event: Event) => {
    event.preventDefault()
    keepControlToken(token.value.trim())
    token.value = ''
    page.live.retry()
  }
  return (
    <form class="notice locked" onSubmit={open}>
      <Field
        label={isFirst ? 'This mock has a control token. ' : 'The mock does not take this control token. '}
        type="password"
        required
        autocomplete="off"
        aria-label="Control token"
        placeholder="Control token"
        text={token}
      />
      <button type="submit" class="main">
        Open
      </button>
    </form>
  )
}
