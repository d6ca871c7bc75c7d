import { placeName } from '../world/lobby-rows.js'
import { page } from '../world/page-state.js'
import { viewOf } from './views.js'

/** Returns the title of the page: `<thing> – <scenario> – <world> – mockmaker`. */
export function titleOf(): string {
  const { about } = page.live
  return [thing(), about.value?.title, about.value?.id, 'mockmaker'].filter(Boolean).join(' – ')
}

/** Names what the page shows: the details, or the view. */
function thing(): string {
  const opened = page.opened.value
  if (!opened) return viewOf(page.view.value).title
  const { tables } = page.shown.value
  if (opened.kind === 'request') {
    const entry = page.live.exchanges.value.find(({ id }) => id === opened.id)
    return entry ? `${entry.operation ?? `${entry.method} ${entry.path}`} ${entry.status}` : `Request ${opened.id}`
  }
  if (opened.kind === 'held') return 'Held request'
  const lobby = opened.kind === 'player' ? undefined : tables.lobbies.get(opened.id)
  const name = lobby ? placeName(lobby, tables) : opened.id
  return opened.kind === 'lobby' ? name : `${opened.kind === 'server' ? 'Server' : 'Player'} ${name}`
}
