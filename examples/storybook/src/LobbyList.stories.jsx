import { expect } from 'storybook/test'
import { LobbyList } from './LobbyList.jsx'

export default { component: LobbyList, parameters: { mockmaker: { scenario: { game_modes: ['duel', 'ffa'] } } } }

export const Empty = {}

export const Busy = { parameters: { mockmaker: { scenario: 'friday-night', seed: 42 } } }

export const Broken = {
  parameters: { mockmaker: { faults: [{ operation: 'lobbies.list', effect: { error: { status: 503 } } }] } },
}

export const NewLobby = {
  async play({ mock, canvas, userEvent }) {
    await expect(await canvas.findByText('0 lobbies')).toBeVisible()
    await mock.lobby({ game_mode_id: 'ffa' })
    await userEvent.click(canvas.getByRole('button', { name: 'Reload' }))
    await expect(await canvas.findByText('ffa')).toBeVisible()
    await expect(mock.warnings.list()).toEqual([])
  },
}
