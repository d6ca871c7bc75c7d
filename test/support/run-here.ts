import { finished } from 'node:stream/promises'
import { vi } from 'vitest'
import { runProgram } from '../../src/cli/program.js'
import type { Exit, StartOptions } from './command.js'
import { processWith } from './console.js'

const packageRoot = new URL('../..', import.meta.url)

/** Runs a command that ends by itself, in this process. `env` has the variables that the console and the flags read. */
export async function runHere(args: readonly string[], { env = {} }: Pick<StartOptions, 'env'> = {}): Promise<Exit> {
  const { process, written } = processWith({ argv: ['node', 'mockmaker', ...args], env })
  // commander reads the variables of this process.
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  await runProgram(process, packageRoot)
  process.emit('exit', 0)
  await Promise.all([process.stdout, process.stderr].map(stream => finished(stream.end())))
  return { code: Number(process.exitCode ?? 0), ...written }
}
