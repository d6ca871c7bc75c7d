import { generate } from 'lean-qr'
import { Arena, connect, startGame } from './arena.ts'
import { prepareLink, waitForCloudToken } from './device-link.ts'
import { findSeat, listLobbies } from './matchmaker.ts'

const element = <Type extends Element>(selector: string) => document.querySelector<Type>(selector) as Type
const form = element<HTMLFormElement>('#find')
const status = element('#status')
const [modes, regions] = [element<HTMLSelectElement>('[name=mode]'), element<HTMLSelectElement>('[name=region]')]

async function showLobbies(): Promise<void> {
  const overview = await listLobbies()
  if (modes.length === 0) {
    modes.append(...overview.game_modes.map(({ game_mode_id }) => new Option(game_mode_id)))
    regions.append(...overview.regions.map(region => new Option(region.region_display_name, region.region_id)))
  }
  const names = new Map(overview.regions.map(region => [region.region_id, region.region_display_name]))
  element('#lobbies').replaceChildren(
    ...overview.lobbies.map(lobby => {
      const item = document.createElement('li')
      const seats = `${lobby.total_player_count} of ${lobby.max_players_normal} players`
      item.textContent = `${lobby.game_mode_id} in ${names.get(lobby.region_id)}: ${seats}`
      return item
    }),
  )
}

async function play(): Promise<void> {
  status.textContent = 'Looking for a lobby …'
  const seat = await findSeat(modes.value, regions.value)
  const socket = await connect(seat)
  socket.addEventListener('close', () => say(new Error('The game server is gone.')))
  status.textContent = `You play in ${seat.lobby.region.display_name}.`
  const showPlayers = ({ you, players }: { you: string; players: Record<string, { x: number; y: number }> }) =>
    element('#players').replaceChildren(
      ...Object.entries(players).map(([id, { x, y }]) => {
        const item = document.createElement('li')
        item.textContent = `${id === you ? 'you' : 'other'} at ${x}, ${y}`
        return item
      }),
    )
  startGame('game', new Arena(socket, showPlayers))
  await showLobbies()
}

async function link(): Promise<void> {
  const shown = element('#link-status')
  const { device_link_token, device_link_url } = await prepareLink()
  const code = element<HTMLCanvasElement>('#code')
  generate(device_link_url).toCanvas(code)
  code.hidden = false
  const anchor = document.createElement('a')
  anchor.href = device_link_url
  anchor.textContent = 'Scan the code, or open this page'
  shown.replaceChildren(anchor)
  await waitForCloudToken(device_link_token).finally(() => {
    code.hidden = true
    shown.textContent = ''
  })
  shown.textContent = 'This device is linked.'
}

function say(error: Error): void {
  status.textContent = error.message
}

form.addEventListener('submit', event => {
  event.preventDefault()
  // A second game would share the page with this one.
  form.inert = true
  play().catch(error => {
    form.inert = false
    say(error)
  })
})
element('#link').addEventListener('click', () => void link().catch(say))
showLobbies().catch(say)
