import { readinessPath, splitWorldUrl } from '../core/contract/paths.js'
import { shellWord } from '../core/lib/messages.js'
import { takeSeat } from '../server/processes/bot-seat.js'
import { Bots, checkBotCount } from '../server/processes/bots.js'
import { windowsWord } from '../server/processes/spawn-command.js'
import type { FlagsOf } from './flags.js'
import type { Console } from './output.js'
import { checkWorldExists, clientEnvironment } from './running-mock.js'
import { logOfServers, quitOnSignals } from './serve.js'

const probeMs = 1_000

/** The exit code if there is no such command, as in shells. */
const notFound = 127

/** Runs a command as `count` players, until a signal or the end of the mock. Rejects with `UsageError`. */
export async function runPlayers(
  command: readonly string[],
  count: number,
  { flags, console }: { readonly flags: FlagsOf<'players'>; readonly console: Console },
): Promise<number> {
  const { url, controlToken, token: kind, find, lobby, session: sessionMs, seed, maxBots } = flags
  checkBotCount(count, maxBots, 'players')
  await checkWorldExists({ url, controlToken })
  const variables = await clientEnvironment({ url, controlToken, token: kind })
  const token = variables.RIVET_TOKEN
  const wish = lobby === undefined ? find && { game_modes: find } : { lobby_id: lobby }
  return new Promise(resolve => {
    const end = (code: number) => {
      clearInterval(probe)
      void bots.close().finally(() => resolve(code))
    }
    const bots = new Bots({
      command: commandLine(command),
      count,
      sessionMs,
      seed,
      environment: async (_, signal) => ({ ...variables, ...(wish && (await takeSeat(wish, { url, token, signal }))) }),
      log: logOfServers(flags, console),
      onNotFound: () => end(notFound),
    })
    const probe = watchMock(url, () => {
      console.fail(`the mock at ${url} has ended, so its players end too`)
      end(1)
    })
    quitOnSignals(async () => {
      clearInterval(probe)
      await bots.close()
    })
  })
}

function watchMock(url: string, onEnd: () => void): ReturnType<typeof setInterval> {
  const { server = url } = splitWorldUrl(url) ?? {}
  let misses = 0
  let isAsking = false
  const probe = async () => {
    // A mock that is paused in a debugger answers later.
    if (isAsking) return
    isAsking = true
    const isThere = await fetch(server + readinessPath, { redirect: 'error' })
      .then(answer => answer.text())
      .then(
        () => true,
        () => false,
      )
    isAsking = false
    misses = isThere ? 0 : misses + 1
    if (misses === 2) onEnd()
  }
  return setInterval(() => void probe(), probeMs)
}

/** Quotes a command for the shell, which then becomes the program itself. */
export function commandLine(words: readonly string[]): string {
  return process.platform === 'win32' ? words.map(windowsWord).join(' ') : `exec ${words.map(shellWord).join(' ')}`
}
