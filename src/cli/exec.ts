import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { constants } from 'node:os'
import { dirname } from 'node:path'
import { environmentOf, secretVariables, withoutSecrets } from '../core/control/environment.js'
import type { NewWarning } from '../core/control/warnings/recorder.js'
import { versionNameOf } from '../core/operations/games.js'
import { defaultNamespace } from '../core/store/namespaces.js'
import type { TokenRow } from '../core/store/rows.js'
import type { World } from '../core/store/world.js'
import { spawnCommand, startFailure } from '../server/processes/spawn-command.js'
import { watchdog } from '../server/processes/watchdog.js'
import { writeCapsule } from './export.js'
import type { FlagsOf } from './flags.js'
import { ownWorld } from './key-world.js'
import type { Console } from './output.js'
import { warningLine } from './request-log.js'
import { type StartOptions, startMock } from './serve.js'

/** Exit codes, as in shells. The number of a signal is added to `signalled`. */
const exitCodes = { warned: 1, cannotRun: 126, notFound: 127, signalled: 128 } as const

/** Runs a command beside a mock. Resolves with its exit code, or 1 for a forbidden warning. Rejects with `UsageError`. */
export async function exec(command: readonly string[], options: StartOptions<FlagsOf<'exec'>>): Promise<number> {
  const { mock, url, controlToken, close } = await startMock(0, options)
  const { capsuleOnFailure: file, failOnWarnings } = options.flags
  // A test may delete its world at its end.
  const warned: NewWarning[] = []
  if (failOnWarnings) mock.warned.subscribe(one => warned.push(one))
  try {
    const { RIVET_TOKEN: _, ...inherited } = withoutSecrets(process.env)
    const namespace = defaultNamespace(mock.default.world)
    const token = firstToken(options.flags.token, mock.default.world)
    const versionName = namespace && versionNameOf(namespace, mock.default.world)
    const own = environmentOf(url, token, versionName)
    // The command may control its mock.
    const control = controlToken === undefined ? {} : { [secretVariables.controlToken]: controlToken.token }
    const ownCode = await runCommand(command, { ...inherited, ...own, ...control }, options.console)
    for (const one of warned) options.console.warn(warningLine(one))
    const code = ownCode === 0 && warned.length > 0 ? exitCodes.warned : ownCode
    if (file !== undefined && code !== 0) {
      // Nobody can run the command again to get what this one has found.
      await mkdir(dirname(file), { recursive: true }).catch(() => {})
      await writeCapsule(file, ownWorld(mock), options.console.warn)
    }
    return code
  } finally {
    await close()
  }
}

function firstToken(kind: FlagsOf<'exec'>['token'], world: World): string | undefined {
  const namespace = defaultNamespace(world)
  if (!namespace) return undefined
  const { namespace_id, game_id } = namespace
  const isOwn = (token: TokenRow) =>
    token.kind === 'cloud' ? token.game_id === game_id : token.namespace_id === namespace_id
  return world.tokens.all().find(token => token.kind === kind && isOwn(token))?.token
}

async function runCommand(command: readonly string[], env: NodeJS.ProcessEnv, console: Console): Promise<number> {
  // Listen before the command starts. A signal that comes while it starts would end the mock alone.
  let child: ChildProcess | undefined
  const stopForwarding = forwardSignals(signal => child?.kill(signal))
  try {
    watchdog.start()
    child = spawnCommand(command, { stdio: 'inherit', env })
    return await exitCodeOf(child)
  } catch (error) {
    const failure = error as NodeJS.ErrnoException
    console.fail(startFailure(command[0] ?? '', failure))
    return failure.code === 'ENOENT' ? exitCodes.notFound : exitCodes.cannotRun
  } finally {
    stopForwarding()
  }
}

/** Resolves with the exit code of a command, which ends with the mock. Rejects if the command did not start. */
async function exitCodeOf(child: ChildProcess): Promise<number> {
  const { pid } = child
  if (pid !== undefined) watchdog.add(pid)
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  if (pid !== undefined) watchdog.remove(pid)
  return code ?? exitCodes.signalled + constants.signals[signal ?? 'SIGTERM']
}

function forwardSignals(kill: (signal: NodeJS.Signals) => void): () => void {
  const terminate = () => kill('SIGTERM')
  // A terminal sends Ctrl+C to the command itself, and many programs take a second one as "end at once".
  const interrupt = () => process.stdin.isTTY || kill('SIGINT')
  process.on('SIGTERM', terminate).on('SIGINT', interrupt)
  return () => void process.off('SIGTERM', terminate).off('SIGINT', interrupt)
}
