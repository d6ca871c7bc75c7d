import type { GameServerState } from '../../control/servers.js'
import { counted } from '../../lib/text.js'
import { CodeBlock, CopyButton, DetailsPane } from '../controls.js'
import { regionName } from '../lobby-rows.js'
import { page } from '../page-state.js'
import { type Column, sorted, Table } from '../table.js'

const example = `servers:
  command: node server.js
`

/** The game servers that the mock has started. */
export function Servers() {
  const { servers } = page.live
  const { sort = 'state' } = page.address.value
  const all = servers.value
  const { opened } = page
  const chosen = all.find(one => opened.value?.kind === 'server' && one.lobby_id === opened.value.id)
  return (
    <>
      <section class="pane servers" aria-labelledby="servers">
        <header class="bar">
          <h2 id="servers">Servers</h2>
          <p class="muted">{all.length > 0 && `${all.length} started by the mock`}</p>
        </header>
        <Table
          label={counted(all.length, 'server', 'servers')}
          items={sorted(all, columns, sort)}
          columns={columns}
          sort={sort}
          onSort={next => page.filter({ sort: next })}
          keyOf={server => server.lobby_id}
          isSelected={server => server === chosen}
          rowClass={server => (server.ended_at !== undefined ? 'quiet' : '')}
          row={server => (
            <div class="two-lines">
              <b class="cut">{lobbyName(server)}</b>
              <ServerState server={server} />
            </div>
          )}
          onOpen={server => page.open('server', server.lobby_id)}
          empty={
            <>
              The mock runs no game server. Start it with <code>servers: {'{ command: … }'}</code> in the scenario.
              <CopyButton label="Copy example" text={() => example} />
            </>
          }
        />
      </section>
      {opened.value?.kind === 'server' && (
        <DetailsPane
          label="The chosen server"
          title={chosen ? lobbyName(chosen) : 'Server'}
          facts={chosen && <ServerState server={chosen} />}
        >
          <div class="block">
            {chosen ? (
              <>
                <p class="sentence">{sentenceOf(chosen)}</p>
                <CodeBlock label="Command" text={chosen.command} />
              </>
            ) : (
              <p>The mock has stopped this server.</p>
            )}
          </div>
        </DetailsPane>
      )}
    </>
  )
}

/** The most urgent state first. */
const urgency = ['crashed', 'starting', 'ready', 'stopping', 'ended', 'stopped'] as const

const tones = { crashed: 'bad', starting: 'warn', ready: 'good', stopping: '', ended: '', stopped: '' } as const

function ServerState({ server }: { readonly server: GameServerState }) {
  const { status } = server
  return (
    <span class={`cut ${tones[status]}`}>
      <i class={`dot ${tones[status]}`} /> {status}
    </span>
  )
}

function lobbyName({ lobby_id, game_mode_id }: GameServerState): string {
  const { tables } = page.shown.value
  const lobby = tables.lobbies.get(lobby_id)
  return lobby ? `${game_mode_id}, ${regionName(lobby.region_id, tables)}` : game_mode_id
}

function sentenceOf(server: GameServerState): string {
  const { status, pid, exit_code, restarts } = server
  const parts = [
    status,
    ...(pid === undefined ? [] : [`process ${pid}`]),
    ...(exit_code === undefined ? [] : [`exit code ${exit_code}`]),
    ...(restarts === 0 ? [] : [counted(restarts, 'restart', 'restarts')]),
  ]
  return `${parts.join(', ')}.`
}

const columns: readonly Column<GameServerState>[] = [
  {
    key: 'state',
    title: 'State',
    width: 92,
    sortBy: server => urgency.indexOf(server.status),
    cell: server => <ServerState server={server} />,
  },
  { key: 'lobby', title: 'Lobby', width: 140, sortBy: lobbyName, cell: lobbyName },
  {
    key: 'port',
    title: 'Port',
    width: 64,
    sortBy: ({ ports }) => Object.values(ports)[0],
    cell: ({ ports }) => <code>{Object.values(ports)[0] ?? '–'}</code>,
  },
  {
    key: 'process',
    title: 'Process',
    width: 72,
    rank: 2,
    sortBy: ({ pid }) => pid,
    cell: ({ pid }) => <code class="muted">{pid ?? '–'}</code>,
  },
  {
    key: 'exit',
    title: 'Exit code',
    width: 80,
    sortBy: ({ exit_code }) => exit_code,
    cell: ({ exit_code }) => `${exit_code ?? '–'}`,
  },
  {
    key: 'started',
    title: 'Started',
    width: 88,
    rank: 1,
    sortBy: ({ started_at }) => started_at,
    // The real time, which another zone of the page shows too.
    cell: ({ started_at }) => (started_at === '' ? '–' : page.timeText(Date.parse(started_at))),
  },
]
