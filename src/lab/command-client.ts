import type { ChildProcess } from 'node:child_process'
import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { inheritedBy } from '../core/control/environment.js'
import { sizeText, UsageError } from '../core/lib/messages.js'
import { endGroup, isGroupAlive, isWindows, lateOutputMs } from '../server/processes/process-group.js'
import { spawnCommand, startFailure } from '../server/processes/spawn-command.js'
import { watchdog } from '../server/processes/watchdog.js'
import type { Client, RunningClient, StartClient } from './stage.js'

/** A client that the lab ends has this time after SIGTERM, in ms. */
const graceMs = 2_000
/** A client prints at most so many bytes on each stream. */
const mostBytes = 1024 * 1024
/** The longest kept reason, in characters: the end of standard error. The stack of an error fits in. */
const longestReason = 16_000

/** A command, which starts anew for each case. */
export function commandClient(command: readonly string[]): Client {
  return {
    start: startCommand(command),
    advice:
      'It must poll GET $MOCKMAKER_URL/cloud/devices/links with its token: does it read MOCKMAKER_URL and MOCKMAKER_LINK_TOKEN?',
  }
}

function startCommand(command: readonly string[]): StartClient {
  return ({ url, token, print, exceed }) => {
    const child = spawnClient(command, {
      ...inheritedBy(process.env),
      MOCKMAKER_URL: url,
      RIVET_API_ENDPOINT: url,
      MOCKMAKER_LINK_TOKEN: token,
    })
    const { pid } = child
    if (pid !== undefined) watchdog.add(-pid)
    let reason = ''
    readText(child.stdout, { name: 'output', exceed, onText: print })
    readText(child.stderr, {
      name: 'error',
      exceed,
      onText: text => {
        reason = (reason + text).slice(-longestReason)
      },
    })
    const ended = endOf(child, command, () => reason)
    return {
      ended,
      async stop() {
        if (pid === undefined) return
        // Children may outlive the command.
        if (isGroupAlive(child)) await endGroup(child, graceMs)
        child.stdout?.destroy()
        child.stderr?.destroy()
        watchdog.remove(-pid)
      },
    }
  }
}

function spawnClient(command: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  try {
    return spawnCommand(command, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: !isWindows, windowsHide: true })
  } catch (error) {
    throw new UsageError(startFailure(command[0] ?? '', error as Error), { cause: error })
  }
}

function endOf(child: ChildProcess, [name = '']: readonly string[], reason: () => string): RunningClient['ended'] {
  return new Promise(resolve => {
    child.once('error', error => resolve({ code: undefined, reason: '', startFailure: startFailure(name, error) }))
    child.once('exit', (code, signal) => {
      const end = () => resolve({ code: code ?? undefined, signal: signal ?? undefined, reason: reason() })
      child.once('close', end)
      setTimeout(end, lateOutputMs)
    })
  })
}

function readText(
  stream: Readable | null,
  { name, exceed, onText }: { readonly name: string; exceed(what: string): void; onText(text: string): void },
): void {
  const decoder = new StringDecoder()
  let bytes = 0
  stream?.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    onText(decoder.write(chunk))
    if (bytes <= mostBytes) return
    stream.pause()
    exceed(`it printed more than ${sizeText(mostBytes)} on standard ${name}`)
  })
}
