import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, vi } from 'vitest'
import type { TokenInfo } from '../../src/core/store/tokens.js'

const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))

/** The options of a process. */
export interface StartOptions {
  /** The only environment variables beside `PATH` and `HOME`. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** JavaScript that runs in the process before the command. */
  readonly preload?: string
}

/** The result of a process. */
export interface Exit {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A running process of the command. */
export interface Command {
  /** The complete lines of its output so far. */
  lines(): readonly string[]
  /** Its standard output so far, as it came. */
  output(): string
  /** Its standard error so far. */
  errors(): string
  signal(name: NodeJS.Signals): void
  /** Closes the reading end of its standard output, as `head` does. */
  stopReading(): void
  readonly exited: Promise<Exit>
}

/** Starts the built command. A process that still runs at the end of the test is killed. */
export function start(args: readonly string[], options: StartOptions = {}): Command {
  const command = startProcess(args, options)
  onTestFinished(async () => {
    command.signal('SIGKILL')
    await command.exited
  })
  return command
}

function startProcess(args: readonly string[], { env = {}, cwd, preload }: StartOptions): Command {
  const before = preload === undefined ? [] : ['--import', `data:text/javascript,${encodeURIComponent(preload)}`]
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [...before, cli, ...args], { cwd, env: { PATH, HOME, ...env } })
  child.stdin.end()
  return watched(child)
}

function watched(child: ChildProcessWithoutNullStreams): Command {
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] += text
    })
  }
  return {
    // A terminal ends lines with both.
    lines: () => said.stdout.split(/\r?\n/).slice(0, -1),
    output: () => said.stdout,
    errors: () => said.stderr,
    signal: name => void child.kill(name),
    stopReading: () => void child.stdout.destroy(),
    exited: new Promise(resolve => child.once('close', code => resolve({ code, ...said }))),
  }
}

/** Runs the built command until it exits. */
export function run(args: readonly string[], options?: StartOptions): Promise<Exit> {
  return start(args, options).exited
}

/** A command that serves. */
export interface Served extends Command {
  readonly url: string
}

const readyWithin = { timeout: 50_000, interval: 20 }

/** Serves until the end of the test, by default on a free port, with output for people. */
export async function serve(args: readonly string[] = [], options?: StartOptions): Promise<Served> {
  const command = start(['--port', '0', ...args], options)
  const url = await firstOf(command, lines => {
    const isWhole = lines.at(-1) === '' && lines.some(line => line.includes('ready in'))
    return isWhole ? lines.map(line => /^ {2}URL +(http:\S+)$/.exec(line)?.[1]).find(Boolean) : undefined
  })
  return { ...command, url }
}

/** The first line of `--json`. */
interface ListeningLine {
  readonly event: string
  readonly url: string
  readonly scenario: string
  readonly tokens: readonly TokenInfo[]
}

/** Serves until the end of the test, by default on a free port, with `--json`. */
export async function serveJson(args: readonly string[] = [], options?: StartOptions): Promise<Served & ListeningLine> {
  return withFirstLine(start(['--port', '0', '--json', ...args], options))
}

/** A command that serves until `end`, which sends SIGTERM. */
export interface OpenCommand extends Served, ListeningLine {
  end(): Promise<Exit>
}

/** Serves like `serveJson`, but for more than one test. */
export async function openCommand(args: readonly string[] = [], options: StartOptions = {}): Promise<OpenCommand> {
  const command = await withFirstLine(startProcess(['--port', '0', '--json', ...args], options))
  return {
    ...command,
    end() {
      command.signal('SIGTERM')
      return command.exited
    },
  }
}

async function withFirstLine(command: Command): Promise<Served & ListeningLine> {
  const line = await firstOf(command, ([first]) => first)
  return { ...command, ...(JSON.parse(line) as ListeningLine) }
}

/** Waits until the lines of a command contain something. Rejects if the command exits before. */
async function firstOf(command: Command, find: (lines: readonly string[]) => string | undefined): Promise<string> {
  let exit: Exit | undefined
  void command.exited.then(result => {
    exit = result
  })
  // The wait must end with the command: `vi.waitUntil` moves the fake clock of any later test.
  return vi.waitUntil(() => {
    const found = find(command.lines())
    if (found === undefined && exit) throw new Error(`the command ended with ${exit.code}: ${exit.stderr}`)
    return found ?? false
  }, readyWithin)
}

/** A command on a terminal. */
interface OnTerminal extends Served {
  /** Types keys. */
  type(keys: string): void
}

/** Serves until the end of the test on a terminal of its own. With `hasShell`, a shell starts the command there. `typed`: keys that wait for the command. */
export async function serveOnTerminal(
  args: readonly string[] = [],
  more: Readonly<Record<string, string>> = {},
  { hasShell = false, typed = '' }: { readonly hasShell?: boolean; readonly typed?: string } = {},
): Promise<OnTerminal> {
  const words = [process.execPath, cli, '--port', '0', ...args].map(word => `'${word}'`)
  const { PATH = '', HOME = '' } = process.env
  const env = { PATH, HOME, NO_COLOR: '1', SHELL: '/bin/sh', ...more }
  const child = spawn('script', ['-qec', hasShell ? 'exec sh -i' : `exec ${words.join(' ')}`, '/dev/null'], { env })
  if (hasShell) child.stdin.write(`${words.join(' ')}\n`)
  if (typed !== '') child.stdin.write(typed)
  const command = watched(child)
  onTestFinished(async () => {
    command.signal('SIGKILL')
    await command.exited
  })
  const url = await firstOf(command, lines => {
    const isWhole = lines.some(line => /ready in|"listening"|Ctrl\+C ends/.test(line))
    return isWhole ? lines.map(line => /http:[^\s"]+/.exec(line)?.[0]).find(Boolean) : undefined
  })
  return { ...command, url, type: keys => void child.stdin.write(keys) }
}

/** Waits until a command prints a new line that matches, and returns it. */
export async function lineLike(command: Command, { from = 0, like }: { from?: number; like: RegExp }): Promise<string> {
  return vi.waitUntil(
    () =>
      command
        .lines()
        .slice(from)
        .find(line => like.test(line)) ?? false,
    readyWithin,
  )
}

/** Waits until a command has printed that many new lines, and returns them. */
export async function linesAfter(
  command: Command,
  { from, count }: { from: number; count: number },
): Promise<string[]> {
  await vi.waitFor(() => expect(command.lines().length).toBeGreaterThanOrEqual(from + count), readyWithin)
  return command.lines().slice(from)
}

/** Creates a folder with files, and the folders of their paths, for one test. */
export async function folder(files: Readonly<Record<string, string | Uint8Array>> = {}): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'mockmaker-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true })
    await writeFile(join(path, name), content)
  }
  return path
}

/** Creates a file for one test, in a folder of its own. */
export async function file(name: string, content: string | Uint8Array): Promise<string> {
  return join(await folder({ [name]: content }), name)
}

/** A folder with a program that opens a browser: it notes the URL and a secret of the mock, and exits with a code. */
export async function browserOpener(code: number) {
  const [opener, bin] = [`#!/bin/sh\necho "$1$MOCKMAKER_CLUSTER_SECRET" > "$0.opened"; exit ${code}\n`, await folder()]
  await writeFile(join(bin, 'xdg-open'), opener, { mode: 0o755 })
  return { PATH: `${bin}:${process.env.PATH}`, opened: () => readFile(join(bin, 'xdg-open.opened'), 'utf8') }
}

/** Finds a port that is free on both loopback addresses. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return port
}
