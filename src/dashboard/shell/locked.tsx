import { useSignal } from '@preact/signals'
import { controlToken, keepControlToken } from '../world/control-token.js'
import { page } from '../world/page-state.js'

/** Asks for the control token while the mock refuses the page. */
export function Locked() {
  const token = useSignal('')
  if (page.live.connection.value !== 'locked') return null
  const open = (event: Event) => {
    event.preventDefault()
    keepControlToken(token.value.trim())
    token.value = ''
    page.live.retry()
  }
  return (
    <form class="notice locked" onSubmit={open}>
      <label>
        {controlToken() === undefined
          ? 'This mock has a control token. '
          : 'The mock does not take this control token. '}
        <input
          type="password"
          required
          autocomplete="off"
          aria-label="Control token"
          placeholder="Control token"
          value={token.value}
          onInput={event => (token.value = event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="main">
        Open
      </button>
    </form>
  )
}
