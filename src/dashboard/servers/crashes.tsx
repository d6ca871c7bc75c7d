import { computed, signal } from '@preact/signals'
import type { GameServerState } from '../../core/simulation/servers.js'
import { Button, IconButton } from '../ui/controls.js'
import { duration } from '../ui/format.js'
import { runAction } from '../ui/screen.js'
import { placeName } from '../world/lobby-rows.js'
import { page } from '../world/page-state.js'

/** The keys of the crashes that the user has dismissed or opened. */
const seen = signal<readonly string[]>([])

/** A lobby of the same id may crash again after a reset. */
function keyOf({ lobby_id, pid, ended_at }: GameServerState): string {
  return [lobby_id, pid, ended_at].join()
}

/** The crashed game servers that the user has not seen, the newest first. */
export const crashes = computed(() =>
  page.live.servers.value.filter(one => one.status === 'crashed' && !seen.value.includes(keyOf(one))).reverse(),
)

/** Takes the notice and the dot of a server's crash away. */
export function markSeen(server: GameServerState): void {
  if (crashes.peek().includes(server)) seen.value = [...seen.peek(), keyOf(server)]
}

/** Names a server: `duel, Frankfurt`. */
export function serverName(server: GameServerState): string {
  return placeName(server, page.live.tables)
}

/** Says how a server ended: `exit code 1`, `SIGKILL`, or nothing. */
export function endOf({ exit_code, signal }: GameServerState): string {
  return exit_code === undefined ? (signal ?? '') : `exit code ${exit_code}`
}

const most = 3

/** The crashes that the user has not seen. They stay until they are dismissed or opened. */
export function CrashNotices() {
  return (
    <>
      {crashes.value.slice(0, most).map(server => (
        <CrashNotice key={keyOf(server)} server={server} />
      ))}
    </>
  )
}

/** The most change sets in which the end of a server is looked for. */
const mostRead = 1_000

/** Shows the world right before the change in which the end of a server stopped its lobby. Default: at the time of the end. */
export async function seeEnd({ lobby_id, ended_at = '' }: GameServerState): Promise<void> {
  await runAction(async () => {
    const { change_sets } = await page.api.call('GET /history', { query: { limit: mostRead, rows: false } })
    const end = change_sets.findLast(
      ({ cause, changes }) => cause.kind === 'server' && changes.some(({ id }) => id === lobby_id),
    )
    page.show('world')
    if (end) page.travelTo(end.revision - 1)
    else page.travelToTime(Date.parse(ended_at))
  })
}

function CrashNotice({ server }: { readonly server: GameServerState }) {
  const { lobby_id, ended_at = '', last_lines, message } = server
  const facts = [`${duration(Math.max(0, page.now.value - Date.parse(ended_at)))} ago`, endOf(server)].filter(Boolean)
  return (
    <div class="notice bad">
      <span>
        <b class="bad">Game server crashed: {serverName(server)}</b> <span class="muted">{facts.join(', ')}</span>
        <br />
        <code>{last_lines[0]?.text ?? message}</code>
      </span>
      <IconButton icon="close" aria-label="Dismiss" onClick={() => markSeen(server)} />
      <div>
        <Button onClick={() => page.open('server', lobby_id)}>Show log</Button>{' '}
        <Button onClick={() => seeEnd(server)}>See the world then</Button>
      </div>
    </div>
  )
}
