import preview from '../.storybook-edge-cases/preview.js'
import { LobbyList } from '../src/LobbyList.jsx'

const meta = preview.meta({ title: 'Inline', component: LobbyList, parameters: { mockmaker: { frame: false } } })

export const NamesItsWorld = meta.story({
  parameters: { mockmaker: { scenario: 'ghost-town' } },
  render: (_args, { mock }) => <LobbyList matchmaker={mock.url} />,
})
export const NamesItsWorldToo = meta.story({
  parameters: { mockmaker: { scenario: 'empty' } },
  render: (_args, { mock }) => <LobbyList matchmaker={mock.url} />,
})
export const NamesNone = meta.story({ parameters: { mockmaker: { scenario: 'ghost-town' } } })
