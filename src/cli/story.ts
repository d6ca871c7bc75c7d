import type { StoryJson, StoryStep } from '../core/control/stories/tell-story.js'
import { elapsedText } from '../core/lib/time.js'
import type { FlagsOf } from './flags.js'
import type { Console } from './output.js'
import { ask, checkWorldExists, notMockmaker } from './running-mock.js'

/**
 * Prints what happened to a player of a running world. `player` is a token, its beginning, a name or the id of a story. Rejects
 * with `UsageError`.
 */
export async function printStory(
  player: string,
  { json, ...address }: FlagsOf<'story'>,
  console: Console,
): Promise<void> {
  await checkWorldExists(address)
  const story = await ask(address, 'GET /stories/{player}', { params: { player } })
  // Any server may have answered.
  if (!Array.isArray(story.steps) || !Array.isArray(story.notes)) throw notMockmaker(address.url)
  if (json) return console.printJson(story)
  console.print(`${console.style('bold', story.name)}  ${story.token}`)
  console.print(story.sentence)
  console.print('')
  printSteps(story.steps, console)
  console.print('')
  for (const line of endLines(story)) console.print(line)
}

function printSteps(steps: readonly StoryStep[], console: Console): void {
  const width = Math.max(...steps.map(({ title }) => title.length))
  for (const { at, after_ms = 0, title, text, request, reasons } of steps) {
    const pause = after_ms > 0 ? `+${elapsedText(after_ms)}` : ''
    const id = request === undefined ? '' : console.style('dim', ` (request ${request})`)
    // In UTC.
    const time = at.replace('T', ' ').replace('Z', '')
    const begin = `${time}  ${pause.padStart(pauseWidth)}  `
    console.print(`${begin}${console.style('bold', title.padEnd(width))}  ${text}${id}`)
    for (const line of losersOf(reasons?.candidates))
      console.print(console.style('dim', `${' '.repeat(begin.length + width + 2)}${line}`))
  }
}

/** The width of `+10 min 12 s`. */
const pauseWidth = 12

/** The most lobbies that a step shows, besides the chosen one. */
const mostLosers = 5

/** Lists the lobbies that a find did not choose, and why. */
function losersOf(candidates: Required<StoryStep>['reasons']['candidates'] = []): string[] {
  const losers = candidates.flatMap(({ lobby_id, region_id, because }) =>
    because === undefined ? [] : [`not ${lobby_id} in ${region_id}: ${because}`],
  )
  const more = losers.length - mostLosers
  return more > 0 ? [...losers.slice(0, mostLosers), `and ${more} more that lost`] : losers
}

function endLines({ lobby, server, notes }: StoryJson): string[] {
  const lines: string[] = []
  if (lobby) {
    const { lobby_id, game_mode_id, region, status, seats, max_players } = lobby
    const taken = seats === undefined || max_players === undefined ? '' : `, ${seats} of ${max_players} seats taken`
    lines.push(`lobby   ${lobby_id}  ${game_mode_id} in ${region}, ${status}${taken}`)
  }
  if (server) lines.push(`server  ${server.status}  ${server.command}`)
  return [...lines, ...notes]
}
