import { useSignal } from '@preact/signals'
import { Button, Choice, Field, Form, Select } from '../ui/controls.js'
import { openDialog, runAction, scenarioMenu } from '../ui/screen.js'
import { modeOptions, regionName } from '../world/lobby-rows.js'
import { page } from '../world/page-state.js'

/** The form that makes a lobby. */
export function NewLobbyForm() {
  const { tables } = page.shown.value
  const [firstMode] = tables.gameModes.keys()
  const mode = useSignal(firstMode)
  const region = useSignal(page.region.value ?? '')
  const players = useSignal('0')
  const chosen = tables.gameModes.get(mode.value ?? '')
  if (!chosen)
    return (
      <p class="row-of">
        <NoGameMode />
      </p>
    )
  const { regions } = chosen
  const region_id = regions.includes(region.value) ? region.value : regions[0]
  const submit = () =>
    runAction(async () => {
      const { namespace_id, game_mode_id } = chosen
      const { lobbies } = await page.api.call('POST /new/lobbies', {
        body: { lobbies: [{ namespace_id, game_mode_id, region_id, players: Number(players.value) }] },
      })
      openDialog.value = undefined
      const [made] = lobbies
      if (made) page.open('lobby', made.lobby_id)
    })
  return (
    <Form onSubmit={submit}>
      <Choice label="Game mode" chosen={mode} options={modeOptions(tables)} />
      <label>
        Region
        <Select
          value={region_id ?? ''}
          options={regions.map(id => [id, regionName(id, tables)])}
          onChange={value => (region.value = value)}
        />
      </label>
      <Field
        label="Players who play in it"
        type="number"
        min="0"
        max={Math.min(1_000, chosen.max_players_direct)}
        text={players}
      />
      <button type="submit" class="main" data-first>
        Make the lobby
      </button>
    </Form>
  )
}

/** Tells that no lobby can be made in a world without game modes, and leads to what adds some. */
export function NoGameMode() {
  return (
    <>
      This world has no game mode.
      <Button disabled={page.isReadOnly.value} onClick={() => (openDialog.value = 'new-game-mode')}>
        Add a game mode
      </Button>
      <Button disabled={page.isReadOnly.value} onClick={() => (openDialog.value = scenarioMenu)}>
        Load a scenario
      </Button>
    </>
  )
}
