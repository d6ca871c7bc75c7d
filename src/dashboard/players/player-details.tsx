import type { Input } from '../../client/call.js'
import type { StoryJson, StoryStep, StorySummary } from '../../core/control/stories/tell-story.js'
import { Button, CopyButton, copyAction, type DetailsAction } from '../ui/controls.js'
import { duration } from '../ui/format.js'
import { useLoaded } from '../ui/screen.js'
import { page } from '../world/page-state.js'
import { DetailsPane } from '../world/panes.js'
import { barParts, type PlayerState, playerStates } from '../world/player-state.js'

/** Names a story in the address. A token that no player has ever had is cut, so its story is known by its id. */
export function storyKeyOf({ id, token, address }: Pick<StorySummary, 'id' | 'token' | 'address'>): string {
  return address === undefined ? `${id}` : token
}

function askForStory(player: string, query: Input<'GET /stories/{player}'>['query'] = {}): Promise<StoryJson> {
  return page.api.call('GET /stories/{player}', { params: { player }, query })
}

/** Copies the story of a player as a diagram. */
export function diagramAction(player: string): DetailsAction {
  const text = async () => (await askForStory(player, { mermaid: true })).mermaid ?? ''
  return copyAction('copy-diagram', 'Copy as diagram', text)
}

/** Follows the story of a player. `story` is absent if the mock no longer has it. */
export function useStory(player: string): { readonly story: StoryJson | undefined } | undefined {
  const read = async () => ({ story: await askForStory(player).catch(() => undefined) })
  return useLoaded(read, [player, page.live.stories.value?.changes, page.live.connection.value])
}

/** The story of the player in the address. */
export function PlayerDetails() {
  const player = page.playerKey.peek() ?? ''
  const loaded = useStory(player)
  if (!loaded) return <DetailsPane label="The chosen player" title="…" children={null} />
  const { story } = loaded
  if (!story)
    return (
      <DetailsPane label="The chosen player" title="Player">
        <p class="empty">
          The story of this player is no longer kept.
          <Button onClick={() => page.go({ opened: undefined })}>All players</Button>
        </p>
      </DetailsPane>
    )
  return (
    <DetailsPane
      label="The chosen player"
      title={story.name}
      facts={
        <>
          <code class="muted cut" title={story.token}>
            {story.token}
          </code>
          <CopyButton label="Copy the token" kind="quiet" text={() => story.token} />
        </>
      }
      actions={[
        {
          id: 'see-then',
          label: 'See the world then',
          kind: 'main',
          run: () => page.go({ view: 'world', opened: undefined, at: { revision: story.revision } }),
        },
        copyAction('copy-story', 'Copy story', () => storyText(story)),
        diagramAction(player),
      ]}
    >
      <div class="block">
        <h3 class="sentence">{story.sentence}</h3>
        <Segments story={story} />
        <Steps steps={story.steps} />
        {story.notes.map(note => (
          <p key={note} class="muted">
            {note}
          </p>
        ))}
        <Places story={story} />
      </div>
    </DetailsPane>
  )
}

/** Returns the times of the newest seat of a story, in ms. */
export function seatTimes({ reserved_at, connected_at, ended_at, next_at }: StorySummary) {
  const ms = (time: string | undefined) => (time === undefined ? undefined : Date.parse(time))
  return { reservedAt: ms(reserved_at), connectedAt: ms(connected_at), endedAt: ms(ended_at), nextAt: ms(next_at) }
}

/** The state of a player: its colour, and its word beside it. */
export function StateWord({ state }: { readonly state: PlayerState }) {
  const { word, tone } = playerStates[state]
  return (
    <span class={`state-word ${tone}`}>
      <i data-state={state} /> <span>{word}</span>
    </span>
  )
}

/** The parts of the newest seat, each at least as wide as its words. True times stand below. */
export function Segments({ story }: { readonly story: StoryJson }) {
  const parts = barParts(seatTimes(story), page.now.value)
  if (parts.length === 0) return null
  return (
    <div class="segments">
      {parts.map(
        ([kind, from, to]) =>
          kind !== 'due' && (
            <p key={kind} style={{ flexGrow: Math.max(1, to - from) }}>
              <i data-state={kind} />
              <span>
                <span class="muted">{playerStates[kind].word}</span> <b>{duration(to - from)}</b>
              </span>
            </p>
          ),
      )}
    </div>
  )
}

/** The steps of a story, or the first of them. */
export function Steps({ steps }: Pick<StoryJson, 'steps'>) {
  return (
    <ol class="steps">
      {steps.map(step => (
        <Step key={`${step.revision} ${step.kind} ${step.request}`} step={step} />
      ))}
    </ol>
  )
}

function Step({ step }: { readonly step: StoryStep }) {
  const { at, after_ms, title, text, request, operation } = step
  return (
    <li>
      <span>
        <time>
          {page.timeText(Date.parse(at))}
          {at.slice(-'.000Z'.length, -1)}
        </time>
        {after_ms !== undefined && <span class="muted">+{duration(after_ms)}</span>}
      </span>
      <span>
        <b>{title}</b>
        <span class="muted" dir="auto">
          {text}{' '}
          {request !== undefined && (
            <Button class="link" onClick={() => page.open('request', request)}>
              {operation ?? `request ${request}`}
            </Button>
          )}
        </span>
      </span>
    </li>
  )
}

/** The lobby and the game server of the story, as they are now. */
function Places({ story: { lobby, server } }: { readonly story: StoryJson }) {
  if (!lobby) return null
  const { lobby_id, game_mode_id, region, status, seats, max_players } = lobby
  return (
    <p class="actions">
      {status === 'gone' ? (
        <span class="muted">
          Its lobby, {game_mode_id} in {region}, is gone.
        </span>
      ) : (
        <Button onClick={() => page.open('lobby', lobby_id)}>
          {game_mode_id} in {region}
          {seats !== undefined && `, ${seats} / ${max_players}`}
        </Button>
      )}
      {server && <Button onClick={() => page.open('server', lobby_id)}>Server, {server.status}</Button>}
    </p>
  )
}

function storyText({ name, token, sentence, steps, notes }: StoryJson): string {
  const lines = steps.map(({ at, title, text }) => `${at}  ${title}: ${text}`)
  return [`${name} (${token})`, sentence, ...lines, ...notes].join('\n')
}
