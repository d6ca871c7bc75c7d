import { hasFailed } from '../core/contract/errors.js'
import { counted, shellWord, UsageError } from '../core/lib/messages.js'
import { dateAndTime } from '../core/lib/time.js'
import type { RunningWorld } from '../core/mock/running-world.js'
import { hasCommands, scenarioCommands } from '../core/scenario/commands.js'
import { readScenario } from '../core/scenario/read.js'
import { loadScenario } from '../server/files/scenario-file.js'
import { printFirstLines, worldLine } from './banner.js'
import type { FlagsOf } from './flags.js'
import { type KeyMode, keyModeOf, keyText, obeyKeys } from './key-input.js'
import { ownWorld } from './key-world.js'
import { showingKeys } from './keys.js'
import type { Console } from './output.js'
import { logRequests } from './request-log.js'
import { confirmOnTerminal, isOnTerminal, openOrWarn, quitOnSignals, startMock } from './serve.js'

/** Shows the world of a file, read-only, until a signal or a key ends the process. Rejects with `UsageError`. */
export async function show(file: string, flags: FlagsOf<'show'>, console: Console): Promise<void> {
  const { name, scenario } = await loadScenario(file, { commands: 'allowed' })
  const read = readScenario(scenario)
  const { content } = read
  if (Object.keys(content).length === 0)
    throw new UsageError(`${file} is empty, so it has no world to show: mockmaker export prints one`)
  const command = `mockmaker ${shellWord(file)}`
  const frozen = { ...(typeof content.clock === 'object' ? content.clock : {}), mode: 'frozen' as const }
  const hasTerminal = isOnTerminal()
  const { mock, url, controlToken, close } = await startMock(flags.port, {
    ...(hasTerminal && { confirm: confirmOnTerminal(console) }),
    loaded: { name, scenario: read.with({ clock: frozen }) },
    // The journal of a file is never cut.
    flags: { journal: Number.MAX_SAFE_INTEGER, controlToken: flags.controlToken },
    memory: { journal: Number.POSITIVE_INFINITY, journals: Number.POSITIVE_INFINITY },
    console,
    readOnlyBecause: `this mock only shows ${file}. To use or change its world, run ${command}`,
  })
  const keys: KeyMode = hasTerminal ? keyModeOf(process.stdin) : undefined
  const { style } = console
  printFirstLines(
    [
      ['page', style(['bold', 'cyan'], `${url}/`)],
      ['file', file],
      ['world', worldLine(mock.default.world, scenario.title ?? name, 'journal'.length)],
      ['time', `${dateAndTime(mock.default.clock.now())} UTC, frozen`],
      ['journal', journalText(mock.default, content.journal !== undefined || content.past !== undefined)],
      ...(controlToken?.isMade ? ([['control', `${controlToken.token} (shown this once)`]] as const) : []),
      ...(hasCommands(scenarioCommands(read))
        ? ([['servers', 'none: mockmaker show runs no command of the file']] as const)
        : []),
    ],
    `Read-only: nothing can be changed. Ctrl+C ends.${style('dim', keys ? ` Press ${keyText('h', keys)} for help.` : '')}`,
    console,
  )
  if (flags.open) openOrWarn(url, console)
  logRequests(mock, { format: 'text', failuresOnly: true, console })
  const quit = quitOnSignals(close)
  obeyKeys(showingKeys({ mock, url, console, quit, world: ownWorld(mock) }), keys, console)
}

function journalText({ journal }: RunningWorld, isExported: boolean): string {
  const entries = journal.find()
  if (entries.length === 0)
    return isExported
      ? 'empty: no request had come when it was exported'
      : 'none: mockmaker export --with journal adds it'
  const failed = entries.filter(hasFailed).length
  return `${counted(entries.length, 'request', 'requests')}${failed > 0 ? `, ${failed} failed` : ''}`
}
