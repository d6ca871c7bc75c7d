import { allPassed, countsText } from '../core/lib/check-report.js'
import { formatDuration } from '../core/lib/time.js'
import { playerCalls } from '../server/processes/judge-server.js'
import { checkServer, scenarioCommand, tooFewSeats } from '../server/processes/server-check.js'
import { printCheck, runChecks } from './checks.js'
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

/** Checks a game server against its own mock. Resolves with the exit code. Rejects with `UsageError`. */
export async function checkServerCommand(
  words: readonly string[] | undefined,
  { loaded, flags, console, refuse }: CheckServerCommandOptions,
): Promise<number> {
  const { expect: expected = defaultExpected, within: withinMs, players, client, gameMode, seed, json, junit } = flags
  const waitsForPlayers = client === undefined && players > 0 && expected.some(call => playerCalls.includes(call))
  const onReady = () => {
    if (waitsForPlayers)
      console.warn(
        `waiting up to ${formatDuration(withinMs)} for the server to connect the players of MOCKMAKER_PLAYER_TOKENS (or pass --client)`,
      )
  }
  const onLine = (from: string, line: string) => console.warn(`${from} | ${line}`)
  return runChecks('mockmaker check-server', junit, async signal => {
    const { mock, url, close } = await startMock(0, {
      loaded,
      flags: { journal, seed },
      console,
      startsPrograms: false,
    })
    try {
      const tooFew = tooFewSeats(mock.default.world.tables, { players, gameMode })
      if (tooFew !== undefined) return refuse(tooFew)
      const command = words ? commandLine(words) : scenarioCommand(mock, gameMode)
      if (command === undefined)
        return refuse(
          `the command of the server is missing: mockmaker check-server ${loaded?.name} -- ./server, or the key servers.command in the scenario`,
        )
      if (!json)
        console.warn(`waiting up to ${formatDuration(withinMs)} for the server to call POST /matchmaker/lobbies/ready`)
      const checked = { mock, url, command, client, players, expected, withinMs, gameMode }
      const checks = await checkServer({ ...checked, onReady, onLine, signal })
      const passed = allPassed(checks)
      if (json) console.printJson({ passed, checks })
      else {
        for (const check of checks) printCheck(check, console)
        console.print(countsText(checks))
      }
      return { passed, checks }
    } finally {
      await close()
    }
  })
}
