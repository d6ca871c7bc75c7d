import { spawn } from 'node:child_process'
import { completeDeviceLink } from '../control/device-links.js'
import { timeOfDay } from '../lib/time.js'
import { UsageError } from '../lib/usage-error.js'
import type { Mock } from '../mock/mock.js'
import type { MockWorld } from '../mock/mock-world.js'
import { type ClockSetting, hasPassed } from '../store/clock.js'
import { printNamespaces, printTokens } from './banner.js'
import type { Key } from './key-input.js'
import type { Console } from './output.js'
import { printLastFailure } from './request-log.js'
import { writeWorldFile } from './world-file.js'

/** The mock that the keys act on. */
interface KeyTarget {
  readonly mock: Mock
  readonly url: string
  readonly console: Console
  /** Default: opens a URL in the browser of this machine. */
  open?(url: string): Promise<void>
  quit(): void
  /** Called after the key `e` has written a file. */
  onExport?(): void
  /** The folder for the files of the key `e`. Default: the working directory. */
  readonly folder?: string
}

/** The keys of a command that serves. They act on the world `default`. */
export function servingKeys(target: KeyTarget): readonly Key[] {
  const { mock, url, console, quit, open = openInBrowser } = target
  const world = mock.default
  const setClock = async (setting: ClockSetting) => {
    await world.clock.set(setting)
    console.print(`  ${clockText(world)}`)
  }
  return [
    {
      key: 'r',
      description: 'reset the world',
      async press() {
        await world.reset()
        console.print('  reset')
      },
    },
    { key: 's', description: 'load the next scenario', press: scenarioCycle(target) },
    {
      key: 'f',
      description: 'clear the faults',
      press() {
        world.faults.clear()
        console.print('  faults cleared')
      },
    },
    { key: 'l', description: 'let the clock run at ×1', press: () => setClock({ mode: 'running', rate: 1 }) },
    {
      key: 'p',
      description: 'freeze the clock, or let it run again',
      press: () => setClock({ mode: world.clock.mode === 'frozen' ? 'running' : 'frozen' }),
    },
    {
      key: 'm',
      description: 'move the clock forward by 1 min',
      async press() {
        await world.clock.advance('1m')
        console.print(`  ${clockText(world)}`)
      },
    },
    {
      key: 'x',
      description: 'print the last failed request, with its answer',
      press: () => printLastFailure(world, console),
    },
    { key: 'e', description: 'export the world to a new file', press: () => exportWorld(target) },
    { key: 'd', description: 'complete the newest pending device link', press: () => completeNewestLink(target) },
    { key: 'o', description: 'open the page in a browser', press: () => open(url) },
    {
      key: 't',
      description: 'print the namespaces, the tokens, and a line of curl for each kind',
      press: () => printTokens(world, target),
    },
    { key: 'u', description: 'print the URLs', press: () => printUrls(target) },
    { key: 'c', description: 'clear the screen', press: () => console.clear() },
    { key: 'q', description: 'quit', press: quit },
  ]
}

/** The keys of a command that only shows a world. */
export function showingKeys(target: KeyTarget): readonly Key[] {
  return servingKeys(target).filter(({ key }) => ['x', 'o', 'c', 'q'].includes(key))
}

/** The keys of a replica. The other keys act on a world, which another process may run. */
export function replicaKeys(target: KeyTarget): readonly Key[] {
  return servingKeys(target).filter(({ key }) => ['o', 't', 'u', 'c', 'q'].includes(key))
}

/** Loads another scenario each time, in order. The first one is loaded already. */
function scenarioCycle({ mock, console }: KeyTarget): () => Promise<void> {
  let index = 0
  return async () => {
    index = (index + 1) % mock.scenarios.length
    const { name = '', title = '' } = mock.scenarios[index] ?? {}
    await mock.default.load(name)
    console.print('')
    console.print(`  ${console.style('bold', name)}${title === '' ? '' : `: ${title}`}`)
    printNamespaces(mock.default.world, console)
    console.print('')
  }
}

/** Completes the newest pending device link for the first game. */
async function completeNewestLink({ mock, console }: KeyTarget): Promise<void> {
  const { deviceLinks, games, clock } = mock.default.world
  const pending = deviceLinks.all().filter(link => link.status === 'pending' && !hasPassed(link.expires_at, clock))
  const [newest, game] = [pending.at(-1), games.all()[0]]
  if (!newest) return console.print('  there is no pending device link')
  if (!game) return console.print('  there is no game to complete the device link for')
  completeDeviceLink(mock.default.world, newest.device_link_token, { game: game.game_id })
  console.print(`  completed ${newest.device_link_id} for ${game.name_id}`)
}

/** Describes the clock: `20:14:15, frozen` or `20:14:15, running at ×60`. */
function clockText({ clock }: Pick<MockWorld, 'clock'>): string {
  const mode = clock.mode === 'frozen' ? 'frozen' : `running at ×${clock.rate}`
  return `${timeOfDay(clock.now())}, ${mode}`
}

async function exportWorld({ mock, console, onExport, folder = '.' }: KeyTarget): Promise<void> {
  const name = await writeWorldFile(mock.default, folder)
  onExport?.()
  console.print(`  wrote ${name}. To look at it: mockmaker show ${name}`)
  console.print(`  To serve it: mockmaker ${name}`)
}

function printUrls({ mock, url, console }: KeyTarget): void {
  const [, ...others] = mock.worlds.list()
  console.print('')
  for (const line of [url, ...others.map(({ id }) => `${url}/w/${id}`)])
    console.print(`  ${console.style('cyan', line)}`)
  console.print('')
}

/** The program that opens a URL in the browser, and its arguments. No shell reads the URL. */
export function browserCommand(url: string, platform: NodeJS.Platform): readonly [name: string, ...args: string[]] {
  if (platform === 'darwin') return ['open', url]
  if (platform === 'win32') return ['rundll32.exe', 'url.dll,FileProtocolHandler', url]
  return ['xdg-open', url]
}

/** Opens a URL in the browser. Rejects with `UsageError` if that fails. */
export function openInBrowser(url: string, platform = process.platform): Promise<void> {
  const [name, ...args] = browserCommand(url, platform)
  return new Promise((resolve, reject) => {
    const fail = (reason: string) =>
      reject(new UsageError(`cannot open a browser: ${reason}. Open this URL yourself: ${url}`))
    const child = spawn(name, args, { detached: true, stdio: 'ignore' })
    // The browser outlives the mock and Ctrl+C.
    child.unref()
    child.once('error', () => fail(`cannot run ${name}`))
    child.once('exit', code => (code === 0 || code === null ? resolve() : fail(`${name} exited with ${code}`)))
  })
}
