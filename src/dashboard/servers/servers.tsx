import { useEffect } from 'preact/hooks'
import { counted, grouped } from '../../core/lib/messages.js'
import type { GameServerState } from '../../core/simulation/servers.js'
import { PlayerNames } from '../players/player-names.js'
import { CodeBlock, CopyButton } from '../ui/controls.js'
import { duration } from '../ui/format.js'
import { runAction, useLoaded } from '../ui/screen.js'
import { type Column, sorted, Table } from '../ui/table.js'
import { sentence } from '../world/outcome.js'
import { page } from '../world/page-state.js'
import { DetailsPane } from '../world/panes.js'
import { WarningMark, warnedLobbies } from '../world/warned.js'
import { endOf, markSeen, seeEnd, serverName } from './crashes.js'

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
          <p class="muted">{all.length > 0 && `${grouped(all.length)} started by the mock`}</p>
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
              <b class="cut">{serverName(server)}</b>
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
      {opened.value?.kind === 'server' &&
        (chosen ? (
          <ServerDetails key={chosen.lobby_id} server={chosen} />
        ) : (
          <DetailsPane label="The chosen server" title="Server">
            <p class="empty">The mock has no game server of the lobby {opened.value.id}.</p>
          </DetailsPane>
        ))}
    </>
  )
}

function ServerDetails({ server }: { readonly server: GameServerState }) {
  const { lobby_id, status, pid, lines, command, message, last_lines, restarts, ports, ended_at } = server
  const isOff = page.isReadOnly.value
  useEffect(() => markSeen(server), [server])
  const full = useLoaded(
    () => page.api.call('GET /servers/{lobby_id}', { params: { lobby_id } }),
    [lobby_id, status, pid, lines],
  )
  const variables = Object.entries(full?.environment ?? {})
  const restart = () =>
    runAction(async () => {
      const next = await page.api.call('POST /servers/{lobby_id}/restart', { params: { lobby_id } })
      page.open('server', next.lobby_id)
    })
  const kill = () => runAction(() => page.api.call('POST /servers/{lobby_id}/kill', { params: { lobby_id } }))
  return (
    <DetailsPane
      label="The chosen server"
      title={serverName(server)}
      facts={<ServerState server={server} />}
      actions={[
        ...(status === 'copied'
          ? []
          : [{ id: 'restart', label: 'Restart', kind: 'main', isOff, run: restart } as const]),
        ...(ended_at === undefined ? [{ id: 'kill', label: 'Kill', kind: 'danger', isOff, run: kill } as const] : []),
        ...(ended_at === undefined
          ? []
          : [{ id: 'see-then', label: 'See the world then', isOff, run: () => seeEnd(server) }]),
        { id: 'open-lobby', label: 'Open its lobby', isOff, run: () => page.open('lobby', lobby_id) },
      ]}
    >
      <div class="block">
        <h3 class={`sentence ${tones[status]}`}>{sentenceOf(server)}</h3>
        {status === 'crashed' && last_lines[0] && <code class="bad">{last_lines[0].text}</code>}
        <Life server={server} />
        <p class="muted">
          {[
            ...(pid === undefined ? [] : [`process ${pid}`]),
            ...Object.values(ports).map(port => `port ${port}`),
            ...(restarts === 0 ? [] : [counted(restarts, 'restart', 'restarts')]),
          ].join(', ')}
        </p>
        {message !== undefined && <p class="muted">{sentence(message)}</p>}
        <PlayerNames lobbyId={lobby_id} />
        <h3>Command</h3>
        <CodeBlock label="Command" text={command} />
        <h3>Log</h3>
        <CodeBlock
          label="Log"
          text={(full?.log ?? last_lines).map(({ at, text }) => `${page.timeText(Date.parse(at))} ${text}`).join('\n')}
        />
        {variables.length > 0 && (
          <details>
            <summary>Environment</summary>
            <CodeBlock label="Environment" text={variables.map(pair => pair.join('=')).join('\n')} />
          </details>
        )}
      </div>
    </DetailsPane>
  )
}

/** The life of a server as a bar: starting, ready, ended. Its times stand below. */
function Life({ server }: { readonly server: GameServerState }) {
  const { status, started_at, ready_at, ready_ms, ended_at } = server
  if (started_at === '') return null
  const times: readonly (readonly [title: string, tone: string, at: string | undefined])[] = [
    ['started', 'warn', started_at],
    [ready_ms === undefined ? 'ready' : `ready in ${duration(ready_ms)}`, 'good', ready_at],
    [status, tones[status], ended_at],
  ]
  const known = times
    .filter(([, , at]) => at !== undefined)
    .map(([title, tone, at]) => ({ title, tone, at: Date.parse(`${at}`) }))
  return (
    <ol class="life">
      {known.map(({ title, tone, at }, i) => (
        <li key={title} style={{ flexGrow: (known[i + 1]?.at ?? (ended_at ? at : page.now.value)) - at }}>
          <i class={`dot ${tone}`} />
          <b>{title}</b> {page.timeText(at)}
        </li>
      ))}
    </ol>
  )
}

/** The most urgent state first. */
const urgency = ['crashed', 'starting', 'ready', 'stopping', 'copied', 'ended', 'stopped'] as const

const tones = {
  crashed: 'bad',
  starting: 'warn',
  ready: 'good',
  stopping: '',
  copied: '',
  ended: '',
  stopped: '',
} as const

function ServerState({ server }: { readonly server: GameServerState }) {
  const { status } = server
  return (
    <span class={`cut ${tones[status]}`}>
      <i class={`dot ${tones[status]}`} /> {status}
    </span>
  )
}

function sentenceOf(server: GameServerState): string {
  const { status, started_at, ready_ms, ended_at } = server
  const start = Date.parse(started_at)
  if (ended_at === undefined)
    return ready_ms === undefined ? 'It has not called ready yet.' : `Ready ${duration(ready_ms)} after its start.`
  const end = endOf(server)
  const how = `${status[0]?.toUpperCase()}${status.slice(1)}`
  return `${how}${start ? ` ${duration(Date.parse(ended_at) - start)} after its start` : ''}${end && `, ${end}`}.`
}

const columns: readonly Column<GameServerState>[] = [
  {
    key: 'state',
    title: 'State',
    width: 92,
    sortBy: server => urgency.indexOf(server.status),
    cell: server => <ServerState server={server} />,
  },
  {
    key: 'lobby',
    title: 'Lobby',
    width: 140,
    sortBy: serverName,
    hint: serverName,
    cell: server => (
      <>
        <WarningMark of={warnedLobbies.value.get(server.lobby_id)} />
        <span class="cut">{serverName(server)}</span>
      </>
    ),
  },
  {
    key: 'ready',
    title: 'Ready in',
    width: 72,
    sortBy: ({ ready_ms }) => ready_ms,
    cell: ({ ready_ms }) => (ready_ms === undefined ? '–' : duration(ready_ms)),
  },
  {
    key: 'port',
    title: 'Port',
    width: 64,
    sortBy: ({ ports }) => Object.values(ports)[0],
    cell: ({ ports }) => <code>{Object.values(ports)[0] ?? '–'}</code>,
  },
  {
    key: 'exit',
    title: 'Exit code',
    width: 80,
    sortBy: ({ exit_code }) => exit_code,
    cell: ({ exit_code, signal }) => `${exit_code ?? signal ?? '–'}`,
  },
  {
    key: 'started',
    title: 'Started',
    width: 88,
    rank: 1,
    sortBy: ({ started_at }) => started_at,
    cell: ({ started_at }) => (started_at === '' ? '–' : page.timeText(Date.parse(started_at))),
  },
  {
    key: 'line',
    title: 'Last line',
    width: 140,
    rank: 2,
    sortBy: lastLine,
    cell: server => <code class="muted cut">{lastLine(server)}</code>,
    hint: lastLine,
  },
]

/** Of a crashed server, the last lines begin with its error. */
function lastLine({ status, last_lines }: GameServerState): string | undefined {
  return last_lines.at(status === 'crashed' ? 0 : -1)?.text
}
