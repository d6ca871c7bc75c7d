import { HttpResponse, http } from 'msw'
import { mswLoader } from 'msw-storybook-addon/csf3'
import { expect } from 'storybook/test'
import { LobbyList } from '../src/LobbyList.jsx'

const list = 'https://matchmaker.example/matchmaker/lobbies/list'

export default {
  title: 'Msw loader',
  component: LobbyList,
  loaders: [mswLoader()],
  parameters: { mockmaker: { scenario: { game_modes: ['duel'] } } },
}

/** Handlers of the parameters answer beside the mock. */
export const OtherHandlers = {
  parameters: { msw: { handlers: [http.get('https://news.example/', () => HttpResponse.text('news'))] } },
  async play({ mock, canvas }) {
    await canvas.findByText('0 lobbies')
    const news = await fetch('https://news.example/')
    await expect(await news.text()).toBe('news')
    await expect(mock.journal.find()).toHaveLength(1)
  },
}

/** A handler of the parameters wins over the mock. */
export const OwnHandler = {
  parameters: {
    msw: {
      handlers: {
        lobbies: http.get(list, () => HttpResponse.json({ lobbies: [{ lobby_id: '1', game_mode_id: 'handled' }] })),
      },
    },
  },
  play: async ({ canvas }) => expect(await canvas.findByText('handled')).toBeVisible(),
}

/** The handlers of other stories are gone. */
export const WithoutHandlers = {
  async play({ mock, canvas }) {
    await expect(await canvas.findByText('0 lobbies')).toBeVisible()
    await expect(mock.journal.find()).toHaveLength(1)
  },
}
