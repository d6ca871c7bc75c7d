import { counted, grouped } from '../../core/lib/messages.js'
import { Button } from '../ui/controls.js'
import { useLoaded } from '../ui/screen.js'
import { page } from '../world/page-state.js'
import { storyKeyOf } from './player-details.js'

/** A lobby names this many of its players. */
const mostNamed = 8

/** Names the players of a lobby, the newest first. Each name opens a story, and those without a name are in the list of all. */
export function PlayerNames({ lobbyId }: { readonly lobbyId: string }) {
  const { stories } = page.live
  const list = useLoaded(
    () => page.api.call('GET /stories', { query: { lobby: lobbyId, limit: mostNamed } }),
    [lobbyId, stories.value?.changes],
  )
  if (!list?.stories.length) return null
  const more = list.total - list.stories.length
  return (
    <p>
      {counted(list.total, 'player', 'players')}:{' '}
      {list.stories.map((story, i) => (
        <span key={story.id}>
          {i > 0 && ', '}
          <Button class="link" onClick={() => page.open('player', storyKeyOf(story))}>
            {story.name}
          </Button>
        </span>
      ))}
      {more > 0 && (
        <>
          {' and '}
          <MorePlayers lobbyId={lobbyId} count={more} />
        </>
      )}
    </p>
  )
}

/** Opens the list of all players of a lobby. */
export function MorePlayers({ lobbyId, count }: { readonly lobbyId: string; readonly count: number }) {
  return (
    <Button class="link" onClick={() => page.go({ view: 'players', opened: undefined, q: lobbyId })}>
      {grouped(count)} more
    </Button>
  )
}
