import { writeFile } from 'node:fs/promises'
import { allPassed, checkLines, countsText, junitOf } from '../lib/check-report.js'
import { systemReason, UsageError } from '../lib/usage-error.js'
import { checkServer } from '../processes/server-check.js'
import { type CheckServerFlags, defaultExpected } from './options.js'
import { commandLine } from './players.js'
import { interrupted, type StartOptions, startMock } from './serve.js'

/** The requests that the mock remembers. A server may call often. */
const journal = 100_000

/**
 * Checks a game server against its own mock, and prints the result. The output of the server and of its clients goes to standard
 * error. Resolves with `false` if a check has failed. Rejects with `UsageError`.
 */
export async function checkServerCommand(
  words: readonly string[],
  { loaded, flags, console }: Pick<StartOptions, 'loaded' | 'console'> & { readonly flags: CheckServerFlags },
): Promise<boolean> {
  const { expect: expected = defaultExpected, within: withinMs, players, client, gameMode, seed, json, junit } = flags
  if (junit !== undefined) await write(junit, '')
  const ended = new AbortController()
  const stopListening = onSignals(() => ended.abort(interruption))
  const command = commandLine(words)
  const { mock, url, close } = await startMock(0, {
    loaded,
    flags: { journal, ...(seed === undefined ? {} : { seed }) },
    console,
    startsPrograms: false,
  })
  try {
    const onLine = (from: string, line: string) => console.warn(`${from} | ${line}`)
    const { signal } = ended
    const checks = await checkServer({
      mock,
      url,
      command,
      client,
      players,
      expected,
      withinMs,
      gameMode,
      onLine,
      signal,
    })
    const passed = allPassed(checks)
    if (junit !== undefined) await write(junit, junitOf('check-server', checks))
    if (json) console.printJson({ passed, checks })
    else {
      const mark = (text: string, check: { readonly passed: boolean }) =>
        console.style(check.passed ? 'green' : 'red', text)
      for (const check of checks) for (const line of checkLines(check, mark)) console.print(line)
      console.print(countsText(checks))
    }
    return passed
  } catch (error) {
    if (error !== interruption) throw error
    process.exitCode = interrupted
    return true
  } finally {
    await close()
    stopListening()
  }
}

const interruption = new Error('interrupted')

/** Calls a function on the first SIGINT or SIGTERM. A second SIGINT ends the process at once, with all that it has started. */
function onSignals(end: () => void): () => void {
  let isEnding = false
  const interrupt = () => {
    if (isEnding) process.exit(interrupted)
    isEnding = true
    end()
  }
  const terminate = () => {
    isEnding = true
    end()
  }
  process.on('SIGINT', interrupt).on('SIGTERM', terminate)
  return () => void process.off('SIGINT', interrupt).off('SIGTERM', terminate)
}

async function write(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`cannot write ${file}: ${systemReason(error)}`)
  })
}
