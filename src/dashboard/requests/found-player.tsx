import { useEffect } from 'preact/hooks'
import { Segments, Steps, useStory } from '../players/player-details.js'
import { Button } from '../ui/controls.js'
import { duration } from '../ui/format.js'
import { placeName } from '../world/lobby-rows.js'
import { page } from '../world/page-state.js'
import { playerStates, stateOf } from '../world/player-state.js'

/** The first steps of a story are in sight: found, reserved, connected. */
const mostSteps = 3

/** The player who got the seat of a request, and the story so far. */
export function FoundPlayer({ token }: { readonly token: string }) {
  const { story } = useStory(token) ?? {}
  const { tables } = page.live
  const state = story && stateOf(story)
  useEffect(() => {
    if (story?.lobby_id !== undefined)
      page.foundSeat.value = { lobbyId: story.lobby_id, name: story.name, plays: state === 'plays' }
    return () => void (page.foundSeat.value = undefined)
  }, [state, story?.lobby_id])
  if (!story || !state) return null
  const { game_mode_id, region_id, reserved_at, connected_at, ended_at } = story
  const since = Date.parse(connected_at ?? reserved_at ?? story.began_at)
  const until = ended_at === undefined ? page.now.value : Date.parse(ended_at)
  const { word, tone } = playerStates[state]
  return (
    <section class="block found">
      <p>
        <b>{story.name}</b> <span class={`badge ${tone}`}>{word}</span>
        <span class="muted cut">
          {game_mode_id !== undefined &&
            region_id !== undefined &&
            `in ${placeName({ game_mode_id, region_id }, tables)}, `}
          for {duration(Math.max(0, until - since))}
        </span>
        <Button class="link" onClick={() => page.open('player', token)}>
          Open the story
        </Button>
      </p>
      <Segments story={story} />
      <Steps steps={story.steps.slice(0, mostSteps)} />
    </section>
  )
}
