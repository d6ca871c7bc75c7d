import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { versionNameOf } from '../behaviour/game.js'
import { environmentOf } from '../control/environment.js'
import { bind } from '../express/bind.js'
import { UsageError } from '../lib/usage-error.js'
import type { Mock } from '../mock.js'
import { systemReason } from '../node/system-error.js'
import { defaultNamespace } from '../store/default-namespace.js'
import type { TokenRow } from '../store/rows.js'
import { answerOn, reachable } from './answer-on.js'
import type { Console } from './console.js'
import { exposureOf } from './exposure.js'
import type { Loaded } from './load.js'
import type { MockFlags } from './options.js'
import type { TokenKind } from './token-kind.js'
import { windowsWord } from './windows-word.js'

/** What `mockmaker exec` was told. */
export interface ExecOptions extends MockFlags {
  readonly token: TokenKind
}

/** A command that runs against a mock of its own. */
interface Execution {
  /** The command and its arguments. */
  readonly command: readonly string[]
  /** Default: the shipped `default`. */
  readonly loaded: Loaded | undefined
  readonly options: ExecOptions
  readonly console: Pick<Console, 'warn' | 'fail'>
}

/** Exit codes, as shells have them. */
const notFound = 127
const cannotRun = 126
const killed = 128

/** Runs a command while a mock answers on a free port, and answers its exit code. Rejects with `UsageError` where the mock cannot be. */
export async function exec({ command, loaded, options, console }: Execution): Promise<number> {
  const { host, token } = options
  const bound = await bind({ port: 0, host })
  let mock: Mock | undefined
  try {
    const exposure = host === undefined ? undefined : exposureOf({ host, port: bound.port })
    if (exposure !== undefined) console.warn(exposure)
    mock = answerOn(bound, { loaded, options, console })
    const { RIVET_TOKEN: _, ...inherited } = process.env
    const namespace = defaultNamespace(mock.world)
    const versionName = namespace && versionNameOf(namespace, mock.world)
    const env = {
      ...inherited,
      ...environmentOf({ url: reachable(bound.url), token: tokenIn(mock, token), versionName }),
    }
    return await run(command, env)
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    console.fail(error.message)
    return error.exitCode
  } finally {
    await bound.close(mock)
  }
}

/** A token of the default namespace, or of its game. */
function tokenIn({ world }: Mock, kind: TokenKind): string | undefined {
  const namespace = defaultNamespace(world)
  if (!namespace) return undefined
  const { namespace_id, game_id } = namespace
  const isOwn = (token: TokenRow) =>
    token.kind === 'cloud' ? token.game_id === game_id : token.namespace_id === namespace_id
  return world.tokens.all().find(token => token.kind === kind && isOwn(token))?.token
}

/** The command could not be run. */
class CommandError extends UsageError {
  constructor(
    message: string,
    readonly exitCode: number,
  ) {
    super(message)
  }
}

function run([name = '', ...args]: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  // On Windows npm and its like are batch files, which only a shell runs.
  const child =
    process.platform === 'win32'
      ? spawn([name, ...args].map(windowsWord).join(' '), { stdio: 'inherit', env, shell: true })
      : spawn(name, args, { stdio: 'inherit', env })
  const stopForwarding = forwardSignals(signal => child.kill(signal))
  return new Promise<number>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => reject(commandError(name, error)))
    child.once('exit', (code, signal) => resolve(code ?? killed + constants.signals[signal ?? 'SIGTERM']))
  }).finally(stopForwarding)
}

function commandError(name: string, error: NodeJS.ErrnoException): CommandError {
  if (error.code === 'ENOENT') return new CommandError(`there is no command ${JSON.stringify(name)}`, notFound)
  const reason = error.code === 'EACCES' ? 'it is no program, or you may not run it' : systemReason(error)
  return new CommandError(`${JSON.stringify(name)} cannot be run: ${reason}`, cannotRun)
}

/** What ends this process ends the command instead, until the function that comes back is called. */
function forwardSignals(kill: (signal: NodeJS.Signals) => void): () => void {
  const terminate = () => kill('SIGTERM')
  // A terminal sends Ctrl+C to the command by itself, and many take a second one for impatience.
  const interrupt = () => process.stdin.isTTY || kill('SIGINT')
  process.on('SIGTERM', terminate).on('SIGINT', interrupt)
  return () => void process.off('SIGTERM', terminate).off('SIGINT', interrupt)
}
