import { useSignal } from '@preact/signals'
import { fullNameOf } from '../../core/store/namespaces.js'
import { Choice, Field, Form } from '../ui/controls.js'
import { openDialog, runAction } from '../ui/screen.js'
import { page } from '../world/page-state.js'

/** The form that adds a game mode. All regions enable it. */
export function NewGameModeForm() {
  const { tables } = page.shown.value
  const ids = [...tables.namespaces.keys()]
  const namespace = useSignal(ids[0])
  const name = useSignal('')
  const seats = useSignal('8')
  const submit = () =>
    runAction(async () => {
      const game_mode_id = name.value.trim()
      await page.api.call('POST /{table}', {
        params: { table: 'game-modes' },
        body: { namespace_id: namespace.value, game_mode_id, max_players: Number(seats.value) },
      })
      openDialog.value = undefined
      return `Clients can find lobbies of ${game_mode_id} now.`
    })
  return (
    <Form onSubmit={submit}>
      {ids.length > 1 && (
        <Choice label="Namespace" chosen={namespace} options={ids.map(id => [id, fullNameOf(id, tables)])} />
      )}
      <Field label="Name" text={name} required data-first placeholder="duel" />
      <Field label="Seats of a lobby" type="number" min="1" required text={seats} />
      <button type="submit" class="main">
        Add the game mode
      </button>
    </Form>
  )
}
