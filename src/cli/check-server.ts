import { allPassed, countsText } from '../core/lib/check-report.js'
import { formatDuration } from '../core/lib/time.js'
import { playerCalls } from '../server/processes/judge-server.js'
import { checkServer, tooFewSeats } from '../server/processes/server-check.js'
import { abortOnSignals, Interrupted, printCheck, writeJunit } from './checks.js'
import { defaultExpected, type FlagsOf } from './flags.js'
import { commandLine } from './players.js'
import { type StartOptions, startMock } from './serve.js'

/** The requests that the mock remembers. A server may call often. */
const journal = 100_000

interface CheckServerCommandOptions extends Pick<StartOptions, 'loaded' | 'console'> {
  readonly flags: FlagsOf<'check-server'>
  /** Ends the command as wrong usage. */
  refuse(message: string): never
}

/**
 * Checks a game server against its own mock, and prints the result. The output of the server and of its clients goes to standard
 * error. Resolves with the exit code: 0 if all checks pass, 1 if one fails. Rejects with `UsageError`.
 */
export async function checkServerCommand(
  words: readonly string[],
  { loaded, flags, console, refuse }: CheckServerCommandOptions,
): Promise<number> {
  const { expect: expected = defaultExpected, within: withinMs, players, client, gameMode, seed, json, junit } = flags
  const waitsForPlayers = client === undefined && players > 0 && expected.some(call => playerCalls.includes(call))
  const suite = 'mockmaker check-server'
  // A file that cannot be written is said before the checks.
  if (junit !== undefined) await writeJunit(junit, { suite, checks: [] })
  const command = commandLine(words)
  const { mock, url, close } = await startMock(0, {
    loaded,
    flags: { journal, seed },
    console,
    startsPrograms: false,
  })
  const { signal, release } = abortOnSignals()
  try {
    const tooFew = tooFewSeats(mock.default.world.tables, { players, gameMode })
    if (tooFew !== undefined) return refuse(tooFew)
    const onLine = (from: string, line: string) => console.warn(`${from} | ${line}`)
    const checks = await checkServer({
      mock,
      url,
      command,
      client,
      players,
      expected,
      withinMs,
      gameMode,
      onReady() {
        if (waitsForPlayers)
          console.warn(
            `waiting up to ${formatDuration(withinMs)} for the server to connect the players of MOCKMAKER_PLAYER_TOKENS (or pass --client)`,
          )
      },
      onLine,
      signal,
    })
    const passed = allPassed(checks)
    if (junit !== undefined) await writeJunit(junit, { suite, checks })
    if (json) console.printJson({ passed, checks })
    else {
      for (const check of checks) printCheck(check, console)
      console.print(countsText(checks))
    }
    return passed ? 0 : 1
  } catch (error) {
    if (error instanceof Interrupted) return error.exitCode
    throw error
  } finally {
    await close().finally(release)
  }
}
