import { isSeatOperation, operations } from '../../contract/operations.js'
import { counted } from '../../lib/messages.js'
import { parseDate } from '../../lib/real-globals.js'
import { elapsedText, formatInstant } from '../../lib/time.js'
import { playerName } from '../../store/player-names.js'
import { lobbyText } from '../warnings/seat-rules.js'
import type { Story } from './stories.js'
import { type StoryFact, seatText } from './story-kinds.js'
import { rowsOf, type StoryJson, type StorySource, type StoryStep } from './tell-story.js'

/** Another player, where it took a seat in a lobby of the story, or the last one in a lobby that lost the find. */
interface OtherSeat {
  readonly story: Story
  readonly fact: StoryFact
}

const most = { others: 6, losers: 3 }

/** The longest line of a text in a diagram, in characters. Mermaid breaks none by itself. */
const longestLine = 64

/** Draws a story as a sequence diagram of Mermaid between fences, as GitHub draws it in an issue. */
export function drawStory(told: StoryJson, story: Story, source: StorySource): string {
  const all = othersOf(told, story, source)
  const others = all.slice(-most.others)
  const players = new Map(others.map(({ story: { token } }, i) => [token, `p${i}`]))
  const lines = [
    `participant c as ${escaped(told.name)}`,
    'participant m as Matchmaker',
    'participant s as Game server',
    ...[...players].map(([token, id]) => `participant ${id} as ${escaped(playerName(token))}`),
    `Note over c,s: ${linesOf([`${told.began_at.slice(0, 'yyyy-mm-dd'.length)}, times in UTC`, told.sentence])}`,
  ]
  if (all.length > others.length)
    lines.push(`Note over m: ${counted(all.length - others.length, 'other player', 'other players')} took seats before`)
  const waiting = [...others]
  for (const step of told.steps) {
    while (waiting[0] && waiting[0].fact.at <= parseDate(step.at) && waiting[0].fact.revision < step.revision)
      lines.push(otherLine(waiting.shift() as OtherSeat))
    lines.push(stepLine(step, told))
  }
  lines.push(...waiting.map(otherLine))
  return ['```mermaid', 'sequenceDiagram', ...lines.map(line => `    ${line}`), '```'].join('\n')

  function otherLine({ story: { token }, fact }: OtherSeat): string {
    const { at, operation, lobby, revision } = fact
    const { lobby: row } = rowsOf(source.history.changeSet(revision), token, lobby)
    const taken = `${seatText(row) || 'Took a seat.'} ${lobbyText(lobby, source.world)}`
    const text = linesOf([`${timeText(formatInstant(at))} ${operation ?? 'Seat reserved'}`, taken])
    return operation === undefined ? `Note over m,${players.get(token)}: ${text}` : `${players.get(token)}->>m: ${text}`
  }
}

function othersOf({ steps }: StoryJson, story: Story, { stories }: StorySource): OtherSeat[] {
  const end = story.seat === 'ended' ? story.newest.revision : Number.POSITIVE_INFINITY
  const seats = stories
    .list()
    .flatMap(other =>
      other === story
        ? []
        : other.facts.filter(({ kind }) => kind === 'reserved').map((fact): OtherSeat => ({ story: other, fact })),
    )
  const beside = seats.filter(
    ({ fact: { revision, lobby } }) =>
      revision > story.oldest.revision && revision < end && story.wasIn(({ lobby_id }) => lobby_id === lobby?.lobby_id),
  )
  const last = steps.flatMap(({ revision, reasons: { candidates = [] } = {} }) =>
    candidates
      .filter(({ lost_by }) => lost_by === 'full')
      .slice(0, most.losers)
      .flatMap(({ lobby_id }) => {
        const before = seats.filter(({ fact }) => fact.lobby?.lobby_id === lobby_id && fact.revision < revision)
        return before.sort((one, other) => one.fact.revision - other.fact.revision).slice(-1)
      }),
  )
  return [...new Set([...last, ...beside])].sort((one, other) => one.fact.revision - other.fact.revision)
}

function stepLine(step: StoryStep, { steps, requests }: StoryJson): string {
  const { kind, at, after_ms = 0, title, text, operation, request, reasons } = step
  const losers = (reasons?.candidates ?? []).flatMap(({ lobby_id, region_id, because }) =>
    because === undefined ? [] : [`not ${lobby_id.slice(0, 8)} in ${region_id}: ${because}`],
  )
  const pause = after_ms > 0 ? ` (+${elapsedText(after_ms)})` : ''
  const label = linesOf([`${timeText(at)}${pause} ${title}`, text, ...losers.slice(0, most.losers)])
  const isAnswered = requests.find(({ id }) => id === request)?.status === 200
  const isAnswer = kind === 'answered' || (kind === 'reserved' && isAnswered && !answeredLater(steps, request))
  if (isAnswer) return `m-->>c: ${label}`
  if (operation === undefined || kind === 'reserved' || kind === 'present') return `Note over m: ${label}`
  if (isSeatOperation(operation)) return `c${kind === 'refused' || kind === 'gave_up' ? '-x' : '->>'}m: ${label}`
  if (operations[operation].auth === 'lobby') return `s${kind === 'refused' ? '-x' : '->>'}m: ${label}`
  return `Note over m: ${label}`
}

function answeredLater(steps: readonly StoryStep[], request: number | undefined): boolean {
  return steps.some(({ kind, request: other }) => kind === 'answered' && other === request)
}

function timeText(at: string): string {
  return at.slice('yyyy-mm-ddT'.length, -1)
}

function linesOf(texts: readonly string[]): string {
  return texts.flatMap(brokenLines).map(escaped).join('<br/>')
}

function brokenLines(text: string): string[] {
  const lines: string[] = []
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length < longestLine) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

/** Writes all but plain characters as Mermaid's codes, so that no text becomes a part of the diagram or of the page. */
function escaped(text: string): string {
  return text.replaceAll(/\p{C}/gu, ' ').replaceAll(/[^\p{L}\p{N} .,:()/+'_-]/gu, one => `#${one.codePointAt(0)};`)
}
