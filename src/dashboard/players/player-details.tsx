import type { Input } from '../../client/call.js'
import type { StoryJson, StoryStep, StorySummary } from '../../core/control/stories/tell-story.js'
import type { StoryOutcome } from '../../core/generated/options.js'
import { Button, CopyButton, copyAction } from '../ui/controls.js'
import { duration } from '../ui/format.js'
import { useLoaded } from '../ui/screen.js'
import { page } from '../world/page-state.js'
import { DetailsPane } from '../world/panes.js'

const badOutcomes: readonly StoryOutcome[] = [
  'never_connected',
  'connection_lost',
  'server_ended',
  'wrong_lobby',
  'refused',
  'gave_up',
]

/** Tells how a story stands, or how it ended, in two words. */
export function outcomeWords(outcome: StoryOutcome): string {
  return outcome === 'playing' ? 'plays' : outcome.replaceAll('_', ' ')
}

/** Tells the colour of an outcome. */
export function outcomeTone(outcome: StoryOutcome): 'good' | 'bad' | '' {
  return outcome === 'playing' ? 'good' : badOutcomes.includes(outcome) ? 'bad' : ''
}

/** Names a story in the address. A token that no player has ever had is cut, so its story is known by its id. */
export function storyKeyOf({ id, token, address }: Pick<StorySummary, 'id' | 'token' | 'address'>): string {
  return address === undefined ? `${id}` : token
}

/** The story of the player in the address. */
export function PlayerDetails() {
  const player = page.playerKey.peek() ?? ''
  const ask = (query: Input<'GET /stories/{player}'>['query']) =>
    page.api.call('GET /stories/{player}', { params: { player }, query })
  const read = async () => ({ story: await ask({}).catch(() => undefined) })
  const loaded = useLoaded(read, [page.live.stories.value?.changes, page.live.connection.value])
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
        copyAction('copy-diagram', 'Copy as diagram', async () => (await ask({ mermaid: true })).mermaid ?? ''),
      ]}
    >
      <div class="block">
        <h3 class="sentence">{story.sentence}</h3>
        <Segments story={story} />
        <ol class="steps">
          {story.steps.map(step => (
            <Step key={`${step.revision} ${step.kind} ${step.request}`} step={step} />
          ))}
        </ol>
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

/** The parts of the newest seat, each at least as wide as its words. True times stand below. */
function Segments({ story: { reserved_at, connected_at, ended_at } }: { readonly story: StoryJson }) {
  if (reserved_at === undefined) return null
  const end = ended_at === undefined ? page.now.value : Date.parse(ended_at)
  const [reserved, connected] = [Date.parse(reserved_at), connected_at === undefined ? end : Date.parse(connected_at)]
  const parts = [
    { kind: 'reserved', title: 'Seat reserved', ms: connected - reserved },
    ...(connected_at === undefined ? [] : [{ kind: 'connected', title: 'Connected', ms: end - connected }]),
  ]
  return (
    <div class="segments">
      {parts.map(({ kind, title, ms }) => (
        <p key={kind} style={{ flexGrow: Math.max(1, ms) }}>
          <i data-kind={kind} />
          <b>{title}</b>
          <span class="muted">{duration(ms)}</span>
        </p>
      ))}
    </div>
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
