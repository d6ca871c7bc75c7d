import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withoutSecrets } from '../core/control/environment.js'
import type { ClockJson } from '../core/control/history.js'
import { asWriteError, UsageError } from '../core/lib/messages.js'
import { timeOfDay } from '../core/lib/time.js'
import type { Mock } from '../core/mock/mock.js'
import { type ClockSetting, hasPassed } from '../core/store/clock.js'
import { printNamespaces, printTokens } from './banner.js'
import type { Key } from './key-input.js'
import type { KeyWorld } from './key-world.js'
import type { Console } from './output.js'
import { printLastFailure } from './request-log.js'

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

interface WorldTarget extends KeyTarget {
  readonly world: KeyWorld
}

/** The keys of a command that serves. They act on the world `default`. */
export function servingKeys(target: WorldTarget): readonly Key[] {
  const { mock, console, world } = target
  const setClock = async (setting: ClockSetting) => console.print(`  ${clockText(await world.clock.set(setting))}`)
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
      async press() {
        await world.faults.clear()
        console.print('  faults cleared')
      },
    },
    { key: 'l', description: 'let the clock run at ×1', press: () => setClock({ mode: 'running', rate: 1 }) },
    {
      key: 'p',
      description: 'freeze the clock, or let it run again',
      press: async () => setClock({ mode: (await world.clock.get()).mode === 'frozen' ? 'running' : 'frozen' }),
    },
    {
      key: 'm',
      description: 'move the clock forward by 1 min',
      press: async () => console.print(`  ${clockText(await world.clock.advance('1m'))}`),
    },
    {
      key: 'x',
      description: 'print the last failed request, with its answer',
      press: async () => printLastFailure(await world.journal.find(), console),
    },
    { key: 'e', description: 'export the world with its past to a new file', press: () => exportWorld(target) },
    { key: 'd', description: 'complete the newest pending device link', press: () => completeNewestLink(target) },
    {
      key: 't',
      description: 'print the namespaces, the tokens, and a line of curl for each kind',
      press: () => mock.worlds.lookAtDefault(seen => printTokens(seen, target)),
    },
    ...keysWithoutWorld(target),
  ]
}

export function keysWithoutWorld(target: KeyTarget): readonly Key[] {
  const { url, console, quit, open = openInBrowser } = target
  return [
    { key: 'o', description: 'open the page in a browser', press: () => open(url) },
    { key: 'u', description: 'print the URLs', press: () => printUrls(target) },
    { key: 'c', description: 'clear the screen', press: () => console.clear() },
    { key: 'q', description: 'quit', press: quit },
  ]
}

export function showingKeys(target: WorldTarget): readonly Key[] {
  return servingKeys(target).filter(({ key }) => ['x', 'o', 'c', 'q'].includes(key))
}

function scenarioCycle({ mock, console, world }: WorldTarget): () => Promise<void> {
  let index = 0
  return async () => {
    index = (index + 1) % mock.scenarios.length
    const { name = '', title = '' } = mock.scenarios[index] ?? {}
    await world.load(name)
    await mock.worlds.lookAtDefault(seen => {
      console.print('')
      console.print(`  ${console.style('bold', name)}${title === '' ? '' : `: ${title}`}`)
      printNamespaces(seen.world, console)
      console.print('')
    })
  }
}

async function completeNewestLink({ mock, console, world }: WorldTarget): Promise<void> {
  const [newest, game] = await mock.worlds.lookAtDefault(({ world: { deviceLinks, games, clock } }) => {
    const pending = deviceLinks.all().filter(link => link.status === 'pending' && !hasPassed(link.expires_at, clock))
    return [pending.at(-1), games.all()[0]]
  })
  if (!newest) return console.print('  there is no pending device link')
  if (!game) return console.print('  there is no game to complete the device link for')
  await world.completeDeviceLink(newest.device_link_token, { game: game.game_id })
  console.print(`  completed ${newest.device_link_id} for ${game.name_id}`)
}

/** Describes the clock: `20:14:15, frozen` or `20:14:15, running at ×60`. */
function clockText({ mode, rate, now }: ClockJson): string {
  return `${timeOfDay(Date.parse(now))}, ${mode === 'frozen' ? 'frozen' : `running at ×${rate}`}`
}

async function exportWorld({ console, world, onExport, folder = '.' }: WorldTarget): Promise<void> {
  const name = await writeWorldFile(world, folder)
  onExport?.()
  console.print(`  wrote ${name}. Open it in a browser, or serve it: mockmaker ${name}`)
}

const mostFiles = 1_000

/** Writes a capsule to a new file in a folder. Returns the name of the file. Rejects with `UsageError`. */
export async function writeWorldFile(world: Pick<KeyWorld, 'capsule'>, folder: string): Promise<string> {
  const html = await world.capsule()
  for (let number = 1; number <= mostFiles; number += 1) {
    const name = number === 1 ? 'mockmaker-world.html' : `mockmaker-world-${number}.html`
    if (await writeNewFile(join(folder, name), html)) return name
  }
  throw new UsageError(`${folder} has ${mostFiles} exported worlds: delete or move some of its mockmaker-world files`)
}

/** Returns `false` if the file exists. */
async function writeNewFile(path: string, text: string): Promise<boolean> {
  try {
    await writeFile(path, text, { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false // only the system throws here
    throw asWriteError(error, path)
  }
}

async function printUrls({ mock: { worlds }, url, console }: KeyTarget): Promise<void> {
  await worlds.shared?.refresh()
  const [, ...others] = worlds.list()
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
    const child = spawn(name, args, { detached: true, stdio: 'ignore', env: withoutSecrets(process.env) })
    // The browser outlives the mock and Ctrl+C.
    child.unref()
    child.once('error', () => fail(`cannot run ${name}`))
    child.once('exit', code => (code === 0 || code === null ? resolve() : fail(`${name} exited with ${code}`)))
  })
}
