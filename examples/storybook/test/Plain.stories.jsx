import preview from '../.storybook-edge-cases/preview.js'
import { LobbyList } from '../src/LobbyList.jsx'

const meta = preview.meta({ title: 'Plain', component: LobbyList })

export const One = meta.story()
export const Another = meta.story({ args: { matchmaker: 'https://other.example' } })
