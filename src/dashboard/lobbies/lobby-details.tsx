import { useSignal } from '@preact/signals'
import type { StorySummary } from '../../core/control/stories/tell-story.js'
import { exactValue, writeJson } from '../../core/lib/json.js'
import { counted, grouped } from '../../core/lib/messages.js'
import { listObstacles, type SeatedPlayer } from '../../core/store/lobby-rules.js'
import type { LobbyRow } from '../../core/store/matchmaker-rows.js'
import { storyKeyOf } from '../players/player-details.js'
import { MorePlayers } from '../players/player-names.js'
import { Button, CodeBlock, CopyButton, type DetailsAction, Form, Reasons, TextArea } from '../ui/controls.js'
import { bytes, duration, parseJson } from '../ui/format.js'
import { runAction, useLoaded } from '../ui/screen.js'
import { playersOf, regionName, seatWords, serverWords } from '../world/lobby-rows.js'
import { page } from '../world/page-state.js'
import { DetailsPane } from '../world/panes.js'

/** The most seats that are drawn, and the most players that are listed. */
const mostDots = 120
const mostListed = 50

/** The most stories of a lobby that its details look at, the newest first. */
const mostStories = 200

/** A longer state cannot be edited in the page. In characters. */
const longestState = 200_000

/** The details of the chosen lobby. */
export function LobbyDetails() {
  const id = page.lobbyId.value
  if (id === undefined) return null
  const { tables } = page.shown.value
  const lobby = tables.lobbies.get(id)
  if (!lobby)
    return (
      <DetailsPane label="The chosen lobby" title="Lobby">
        <p class="empty">The mock does not have the lobby {id}.</p>
      </DetailsPane>
    )
  return (
    <DetailsPane
      key={id}
      label="The chosen lobby"
      title={`${lobby.game_mode_id} in ${regionName(lobby.region_id, tables)}`}
      facts={
        <>
          <code class="muted cut" title={id}>
            {id}
          </code>
          <CopyButton label="Copy the id" kind="quiet" text={() => id} />
        </>
      }
      actions={actionsOf(lobby)}
    >
      <div class="block">
        <Seats lobby={lobby} />
        <Listing lobby={lobby} />
        <fieldset disabled={page.isReadOnly.value || lobby.status === 'stopped'}>
          <State lobby={lobby} />
        </fieldset>
        <ServerOf lobby={lobby} />
      </div>
    </DetailsPane>
  )
}

function Listing({ lobby }: { readonly lobby: LobbyRow }) {
  const { lobby_id, status, is_closed, publicity, total_player_count, run_by } = lobby
  const isPast = page.past.value !== undefined
  const explanation = useLoaded(
    async () => (isPast ? undefined : await page.api.call('GET /explain', { query: { lobby_id } })),
    [lobby_id, status, is_closed, publicity, total_player_count, run_by, isPast],
  )
  if (isPast || !explanation) return null
  const { tables } = page.shown.value
  const isListed = listObstacles(tables.lobbies.values(), tables)(lobby) === undefined
  return (
    <>
      {explanation.starts_server !== undefined && <NoServer lobby={lobby} startsServer={explanation.starts_server} />}
      <details open={!isListed}>
        <summary>Why is it {isListed ? '' : 'not '}in my list?</summary>
        <Reasons texts={explanation.because} />
      </details>
    </>
  )
}

/** Says what becomes of a lobby that has no game server. */
function NoServer({ lobby: { lobby_id }, startsServer }: { readonly lobby: LobbyRow; readonly startsServer: boolean }) {
  if (startsServer) return <p>No server here: the first player starts one.</p>
  const treatAsMine = () =>
    runAction(() => updateLobby(lobby_id, { run_by: 'server' }).then(() => 'The lobby is yours: start its server.'))
  return (
    <p>
      No server here, and no <code>servers: {'{ command: … }'}</code> in the scenario. Finds pass this lobby by.{' '}
      <Button disabled={page.isReadOnly.value} onClick={treatAsMine}>
        Treat as mine
      </Button>
    </p>
  )
}

function Seats({ lobby }: { readonly lobby: LobbyRow }) {
  const players = playersOf(lobby.lobby_id, page.shown.value.tables)
  const { lobby_id, max_players_normal, total_player_count } = lobby
  const told = useLoaded(
    () => page.api.call('GET /stories', { query: { lobby: lobby_id, limit: mostStories } }),
    [lobby_id, page.live.stories.value?.changes],
  )
  const reserved = players.filter(({ status }) => status === 'reserved').length
  const connected = players.length - reserved
  const onlyCounted = Math.max(0, total_player_count - connected)
  const counts = {
    plays: connected + onlyCounted,
    way: reserved,
    free: Math.max(0, max_players_normal - total_player_count - reserved),
  }
  const dots = Object.entries(counts)
    .flatMap(([state, count]) => Array<string>(Math.min(mostDots, count)).fill(state))
    .slice(0, mostDots)
  const more = Math.max(max_players_normal, total_player_count + reserved) - dots.length
  return (
    <section>
      <h3 class="sentence">{seatWords(lobby)}</h3>
      <p class="dots" aria-hidden="true">
        {dots.map((state, i) => (
          <i key={i} data-state={state} />
        ))}
        {more > 0 && ` and ${grouped(more)} more`}
      </p>
      {players.length > 0 && (
        <ul class="lines seated" aria-label="Players">
          {players.slice(0, mostListed).map(player => (
            <PlayerLine
              key={player.player_token}
              player={player}
              story={told?.stories.find(({ token }) => token === player.player_token)}
            />
          ))}
        </ul>
      )}
      {players.length > mostListed && <MorePlayers lobbyId={lobby_id} count={players.length - mostListed} />}
      {onlyCounted > 0 && (
        <p class="muted">The scenario only counts {counted(onlyCounted, 'player', 'players')} of this lobby.</p>
      )}
    </section>
  )
}

interface PlayerLineProps {
  readonly player: SeatedPlayer
  /** Absent until it is loaded. */
  readonly story: StorySummary | undefined
}

function PlayerLine({ player, story }: PlayerLineProps) {
  return (
    <li>
      <span>
        {story && (
          <Button class="link" onClick={() => page.open('player', storyKeyOf(story))}>
            {story.name}
          </Button>
        )}{' '}
        {player.status === 'reserved' ? 'on the way' : 'plays'} from {player.address}
        <span class="muted">{timerWords(player, page.time.value)}</span>
      </span>
      <Button disabled={page.isReadOnly.value} onClick={() => runAction(() => removePlayer(player.player_token))}>
        Remove
      </Button>
    </li>
  )
}

async function removePlayer(id: string): Promise<void> {
  await page.api.call('DELETE /{table}/{id}', { params: { table: 'players', id } })
}

/** Says what happens to a player next: `, connects in 2 s`. */
function timerWords(player: SeatedPlayer, now: number): string {
  const timers: readonly (readonly [verb: string, at: number | undefined])[] =
    player.status === 'reserved'
      ? [
          ['connects', player.connects_at],
          ['loses the seat', player.expires_at],
        ]
      : [['leaves', player.leaves_at]]
  return timers
    .flatMap(([verb, at]) => (at === undefined ? [] : [`, ${verb} in ${duration(Math.max(0, at - now))}`]))
    .join('')
}

function actionsOf(lobby: LobbyRow): DetailsAction[] {
  const { lobby_id, is_closed, max_players_normal, reserved_player_count } = lobby
  const isOff = page.isReadOnly.value || lobby.status === 'stopped'
  const update = (body: object, text: string) => runAction(() => updateLobby(lobby_id, body).then(() => text))
  const total_player_count = Math.max(0, max_players_normal - reserved_player_count)
  const addPlayer = () => page.api.call('POST /new/player', { body: { lobby_id } })
  return [
    is_closed
      ? { id: 'open-lobby', label: 'Open', isOff, run: () => update({ is_closed: false }, 'The lobby is open.') }
      : { id: 'close-lobby', label: 'Close', isOff, run: () => update({ is_closed: true }, 'The lobby is closed.') },
    { id: 'add-player', label: 'Add a player', isOff, run: () => runAction(addPlayer) },
    { id: 'fill-lobby', label: 'Fill', isOff, run: () => update({ total_player_count }, 'The lobby is full.') },
    { id: 'empty-lobby', label: 'Empty', isOff, run: () => runAction(() => emptyLobby(lobby)) },
    { id: 'stop-lobby', label: 'Stop', isOff, run: () => update({ status: 'stopped' }, 'The lobby has stopped.') },
  ]
}

async function updateLobby(id: string, body: object): Promise<void> {
  await page.api.call('PATCH /{table}/{id}', {
    params: { table: 'lobbies', id },
    body: body as Record<string, unknown>, // any columns
  })
}

async function emptyLobby({ lobby_id }: LobbyRow): Promise<string> {
  // Asks the mock: the page may not have heard of the newest players yet.
  const query = { lobby_id }
  const { players = [] } = await page.api.call('GET /{table}', { params: { table: 'players' }, query })
  for (const { player_token, status } of players) if (status !== 'removed') await removePlayer(String(player_token))
  await updateLobby(lobby_id, { total_player_count: 0 })
  return 'The lobby is empty.'
}

function State({ lobby }: { readonly lobby: LobbyRow }) {
  const edited = useSignal<string | undefined>(undefined)
  const text = lobby.state === undefined ? '' : writeJson(exactValue(lobby, 'state'), { space: 2 })
  if (text.length > longestState)
    return (
      <section>
        <h3>State</h3>
        <p>The state has {bytes(text)}, which is too long to edit here.</p>
        <CopyButton label="Copy the state" text={() => text} />
      </section>
    )
  const save = () =>
    runAction(async () => {
      const isEmpty = edited.value?.trim() === ''
      await updateLobby(
        lobby.lobby_id,
        isEmpty ? { state: null } : parseJson('state', 'The state', edited.value ?? text),
      )
      edited.value = undefined
      return 'The state is saved.'
    })
  return (
    <section>
      <Form onSubmit={save}>
        <TextArea
          label="State, as JSON"
          text={edited}
          initial={text}
          rows={6}
          placeholder="The game server has set no state."
        />
        <button type="submit" disabled={edited.value === undefined}>
          Save the state
        </button>
      </Form>
    </section>
  )
}

/** Says who runs the game server, and how to run one's own. */
function ServerOf({ lobby }: { readonly lobby: LobbyRow }) {
  const { lobby_id, status } = lobby
  const server = page.live.servers.value.find(one => one.lobby_id === lobby_id)
  const environment = useLoaded(
    async () =>
      status === 'stopped' ? undefined : await page.api.text('GET /lobbies/{lobby_id}/env', { params: { lobby_id } }),
    [lobby_id, status],
  )
  return (
    <section>
      <h3>Game server: {serverWords(lobby)}</h3>
      {server && (
        <p>
          {server.status}{' '}
          <Button class="link" onClick={() => page.open('server', lobby_id)}>
            Open the server
          </Button>
        </p>
      )}
      {status !== 'stopped' && environment && (
        <>
          <p class="muted">To run your own server for this lobby, start it with these variables:</p>
          <CodeBlock label="Environment of the game server" text={environment} />
        </>
      )}
    </section>
  )
}
