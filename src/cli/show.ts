import { loadScenario } from '../files/scenario-file.js'
import { counted, shellWord } from '../lib/text.js'
import { formatInstant } from '../lib/time.js'
import { UsageError } from '../lib/usage-error.js'
import type { MockWorld } from '../mock/mock-world.js'
import { readScenario } from '../scenario/read.js'
import { serverCommands } from '../scenario/server-commands.js'
import { printFirstLines, worldLine } from './banner.js'
import { type KeyMode, keyModeOf, keyText, obeyKeys } from './key-input.js'
import { showingKeys } from './keys.js'
import type { ShowFlags } from './options.js'
import type { Console } from './output.js'
import { hasFailed, logRequests } from './request-log.js'
import { isOnTerminal, openOrWarn, quitOnSignals, startMock } from './serve.js'

interface ShowOptions {
  readonly flags: ShowFlags
  readonly console: Console
}

/** Shows the world of a file, read-only, until a signal or a key ends the process. Rejects with `UsageError`. */
export async function show(file: string, { flags, console }: ShowOptions): Promise<void> {
  const { name, scenario } = await loadScenario(file, { commands: 'allowed' })
  const read = readScenario(scenario)
  const { content } = read
  const { all, modes } = serverCommands(read)
  if (Object.keys(content).length === 0)
    throw new UsageError(`${file} is empty, so it has no world to show: mockmaker export prints one`)
  const command = `mockmaker ${shellWord(file)}`
  const frozen = { ...(typeof content.clock === 'object' ? content.clock : {}), mode: 'frozen' as const }
  const { mock, url, close } = await startMock(flags.port, {
    loaded: { name, scenario: read.with({ clock: frozen }) },
    // The journal of a file is never cut.
    flags: { journal: Number.MAX_SAFE_INTEGER },
    memory: { journal: Number.POSITIVE_INFINITY, journals: Number.POSITIVE_INFINITY },
    console,
    readOnlyBecause: `this mock only shows ${file}. To use or change its world, run ${command}`,
  })
  const keys: KeyMode = isOnTerminal() ? keyModeOf(process.stdin) : undefined
  printShown(mock.default, {
    title: scenario.title ?? name,
    file,
    url,
    hasServers: all !== undefined || modes.size > 0,
    keys,
    console,
  })
  if (flags.open) openOrWarn(url, console)
  logRequests(mock, { format: 'text', failuresOnly: true, console })
  const quit = quitOnSignals(close)
  obeyKeys(showingKeys({ mock, url, console, quit }), keys, { console })
}

interface Shown {
  readonly title: string
  readonly file: string
  readonly url: string
  /** True if the file has commands that start game servers. */
  readonly hasServers: boolean
  readonly keys: KeyMode
  readonly console: Pick<Console, 'print' | 'style'>
}

/** Prints the first lines: the page, the file, the world and its time, and the requests in its journal. */
function printShown(mock: MockWorld, { title, file, url, hasServers, keys, console }: Shown): void {
  const { style } = console
  const time = formatInstant(mock.clock.now())
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC')
  const entries = mock.journal.find()
  const failed = entries.filter(hasFailed).length
  const requests = `${counted(entries.length, 'request', 'requests')}${failed > 0 ? `, ${failed} failed` : ''}`
  const hint = keys ? ` Press ${keyText('h', keys)} for help.` : ''
  printFirstLines(
    [
      ['page', style(['bold', 'cyan'], `${url}/`)],
      ['file', file],
      ['world', worldLine(mock.world, title, 'journal'.length)],
      ['time', `${time}, frozen`],
      ['journal', entries.length === 0 ? 'empty: mockmaker export --with journal adds it' : requests],
      ...(hasServers ? ([['servers', 'none: mockmaker show runs no command of the file']] as const) : []),
    ],
    `Read-only: nothing can be changed. Ctrl+C ends.${style('dim', hint)}`,
    console,
  )
}
