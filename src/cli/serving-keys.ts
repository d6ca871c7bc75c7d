import type { Mock } from '../mock.js'
import { hasPassed } from '../store/clock.js'
import { printInventory } from './banner.js'
import type { Console } from './console.js'
import type { Key } from './keys.js'
import { openInBrowser } from './open-browser.js'

/** A command that serves, as keys steer it. */
interface Steered {
  readonly mock: Mock
  readonly url: string
  readonly console: Console
  /** Opens a URL in a browser. Default: the one of this machine. */
  open?(url: string): Promise<void>
  /** Ends it as SIGTERM does. */
  quit(): void
}

/** The keys of a command that serves. */
export function servingKeys(steered: Steered): readonly Key[] {
  const { mock, url, console, quit, open = openInBrowser } = steered
  const nextScenario = scenarioCycle(steered)
  return [
    {
      key: 'r',
      does: 'reset the world',
      async press() {
        await mock.reset()
        console.print('  reset')
      },
    },
    { key: 's', does: 'next scenario', press: nextScenario },
    {
      key: 'f',
      does: 'faults off',
      press() {
        mock.faults.clear()
        console.print('  faults off')
      },
    },
    { key: 'd', does: 'complete the newest pending device link', press: () => completeNewest(steered) },
    { key: 'o', does: 'open the page in a browser', press: () => open(url) },
    { key: 'u', does: 'print the URLs', press: () => printUrls(steered) },
    { key: 'c', does: 'clear the screen', press: () => console.clear() },
    { key: 'q', does: 'quit', press: quit },
  ]
}

/** Loads the next scenario into the default world each time. The first is loaded already. */
function scenarioCycle({ mock, console }: Steered): () => Promise<void> {
  let at = 0
  return async () => {
    at = (at + 1) % mock.scenarios.length
    const name = mock.scenarios[at] ?? ''
    await mock.load(name)
    console.print('')
    console.print(`  ${console.style('bold', name)}`)
    printInventory(mock.world, console)
    console.print('')
  }
}

/** Completes the newest pending device link for the first game, and says so. */
async function completeNewest({ mock, console }: Steered): Promise<void> {
  const { deviceLinks, games, clock } = mock.world
  const pending = deviceLinks.all().filter(link => link.status === 'pending' && !hasPassed(link.expires_at, clock))
  const [newest, game] = [pending.at(-1), games.all()[0]]
  if (!newest || !game) return console.print(`  ${newest ? 'there is no game' : 'no device link is pending'}`)
  await mock.completeDeviceLink(newest.device_link_token, { game: game.game_id })
  console.print(`  completed ${newest.device_link_id} for ${game.name_id}`)
}

function printUrls({ mock, url, console }: Steered): void {
  const [, ...others] = mock.worlds.list()
  console.print('')
  for (const line of [url, ...others.map(({ id }) => `${url}/w/${id}`)])
    console.print(`  ${console.style('cyan', line)}`)
  console.print('')
}
