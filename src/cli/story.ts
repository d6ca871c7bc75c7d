import type { StoryJson, StoryStep } from '../core/control/stories/tell-story.js'
import { counted } from '../core/lib/messages.js'
import { elapsedText } from '../core/lib/time.js'
import type { FlagsOf } from './flags.js'
import type { Console } from './output.js'
import { ask, type ControlAddress, checkWorldExists, notMockmaker } from './running-mock.js'

/** Prints the story of a player, or the newest players. Rejects with `UsageError`. */
export async function printStory(
  player: string | undefined,
  { json, mermaid, ...address }: FlagsOf<'story'>,
  console: Console,
): Promise<void> {
  await checkWorldExists(address)
  if (player === undefined) return listPlayers(address, { json, console })
  const query = mermaid ? { mermaid } : {}
  const story = await ask(address, 'GET /stories/{player}', { params: { player }, query })
  // Any server may have answered.
  if (!Array.isArray(story.steps) || !Array.isArray(story.notes)) throw notMockmaker(address.url)
  if (mermaid) return console.printDocument(String(story.mermaid))
  if (json) return console.printJson(story)
  console.print(`${console.style('bold', story.name)}  ${story.token}`)
  console.print(story.sentence)
  console.print('')
  printSteps(story.steps, console)
  console.print('')
  for (const line of endLines(story)) console.print(line)
}

const mostListed = 20

async function listPlayers(
  address: ControlAddress,
  { json, console }: { readonly json: boolean | undefined; readonly console: Console },
): Promise<void> {
  const list = await ask(address, 'GET /stories', { query: { limit: mostListed, simulated: false } })
  if (!Array.isArray(list.stories)) throw notMockmaker(address.url)
  if (json) return console.printJson(list)
  const { stories, total, counts } = list
  const width = Math.max(0, ...stories.map(({ name }) => name.length))
  for (const story of stories)
    console.print(`${timeText(story.began_at)}  ${console.style('bold', story.name.padEnd(width))}  ${story.sentence}`)
  const simulated =
    counts.simulated > 0 ? `, without ${counted(counts.simulated, 'simulated one', 'simulated ones')}` : ''
  console.print(
    total === 0
      ? `No players yet${simulated}. Each find begins a story.`
      : `The newest ${stories.length} of ${counted(total, 'player', 'players')}${simulated}: mockmaker story <name> tells what happened`,
  )
}

function printSteps(steps: readonly StoryStep[], console: Console): void {
  const width = Math.max(...steps.map(({ title }) => title.length))
  for (const { at, after_ms = 0, title, text, request, reasons } of steps) {
    const pause = after_ms > 0 ? `+${elapsedText(after_ms)}` : ''
    const id = request === undefined ? '' : console.style('dim', ` (request ${request})`)
    const begin = `${timeText(at)}  ${pause.padStart(pauseWidth)}  `
    console.print(`${begin}${console.style('bold', title.padEnd(width))}  ${text}${id}`)
    for (const line of losersOf(reasons?.candidates))
      console.print(console.style('dim', `${' '.repeat(begin.length + width + 2)}${line}`))
  }
}

function timeText(at: string): string {
  return at.replace('T', ' ').replace('Z', '')
}

const pauseWidth = 12

const mostLosers = 5

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
