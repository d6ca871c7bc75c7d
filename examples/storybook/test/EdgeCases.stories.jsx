import { setupMockmaker } from 'mockmaker/browser'
import { HttpResponse, http } from 'msw'
import { expect } from 'storybook/test'
import preview from '../.storybook-edge-cases/preview.js'
import { LobbyList } from '../src/LobbyList.jsx'

const list = 'https://matchmaker.example/matchmaker/lobbies/list'
const scenario = { game_modes: ['duel'] }

const meta = preview.meta({ title: 'Edge cases', component: LobbyList, parameters: { mockmaker: { scenario } } })

/** Leaves behind all that a story can leave behind. */
export const Untidy = meta.story({
  async play({ mock, msw, canvas }) {
    await canvas.findByText('0 lobbies')
    window.untidy = { mock, answers: [] }
    mock.fail('lobbies.list', 503)
    mock.on('lobbies.list', () => ({ game_modes: [], lobbies: [], regions: [] }))
    msw.use(http.get(list, () => HttpResponse.text('left behind', { status: 418 })))
    mock.hold('regions.list')
    void fetch('https://matchmaker.example/matchmaker/regions').then(
      ({ status }) => window.untidy.answers.push(status),
      error => window.untidy.answers.push(String(error)),
    )
    await mock.blocked(1, 'regions.list')
  },
})

/** Sees nothing of the story before, whose mock has ended. */
export const Tidy = meta.story({
  async play({ mock, canvas }) {
    await expect(await canvas.findByText('0 lobbies')).toBeVisible()
    await expect(mock.faults.list()).toHaveLength(0)
    await expect(mock.journal.pending()).toHaveLength(0)
    if (!window.untidy) return
    await expect(() => window.untidy.mock.lobby()).toThrow('belongs to the story edge-cases--untidy')
    await expect(window.untidy.answers).toHaveLength(1)
  },
})

/** Other handlers answer beside the mock. */
export const OtherHandlers = meta.story({
  beforeEach({ msw }) {
    msw.use(http.get('https://news.example/', () => HttpResponse.text('news')))
  },
  async play({ mock, canvas }) {
    await canvas.findByText('0 lobbies')
    const news = await fetch('https://news.example/')
    await expect(await news.text()).toBe('news')
    await expect(mock.journal.find()).toHaveLength(1)
  },
})

/** A handler of the story wins over the mock. */
export const OwnHandler = meta.story({
  beforeEach({ msw }) {
    msw.use(http.get(list, () => HttpResponse.json({ lobbies: [{ lobby_id: '1', game_mode_id: 'handled' }] })))
  },
  play: async ({ canvas }) => expect(await canvas.findByText('handled')).toBeVisible(),
})

export const TwoTools = meta.story({
  play: async () => expect(setupMockmaker().listen()).rejects.toThrow('another mock listens already'),
})

export const UnknownScenario = meta.story({ parameters: { mockmaker: { scenario: 'fridaynight' } } })
export const UnknownParameter = meta.story({ parameters: { mockmaker: { scenarios: 'friday-night' } } })
export const UnknownCode = meta.story({
  parameters: { mockmaker: { faults: [{ effect: { error: { code: 'API_RATELIMIT' } } }] } },
})
