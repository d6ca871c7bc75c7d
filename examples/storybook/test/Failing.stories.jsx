import { LobbyList } from '../src/LobbyList.jsx'

// Vitest leaves them out, because they fail.
export default {
  component: LobbyList,
  parameters: { mockmaker: { scenario: { game_modes: ['duel'] } } },
  tags: ['!test'],
}

export const FailingPlay = {
  async play({ canvas }) {
    await canvas.findByText('0 lobbies')
    throw new Error('as it should')
  },
}

const fault = { operation: 'lobbies.find', effect: { error: { status: 503 } } }
export const UnusedFault = {
  parameters: { mockmaker: { strict: true, faults: [fault] } },
  play: async ({ canvas }) => void (await canvas.findByText('0 lobbies')),
}
