import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@redis/client'
import { freePort } from './command.js'

/** A `redis-server` of this system, on a free port, with a folder of its own. Keeps each change in a file. */
export class RedisServer {
  readonly port: number
  readonly #folder = mkdtempSync(join(tmpdir(), 'mockmaker-redis-'))
  readonly #options: readonly string[]
  #process: ChildProcess | undefined

  private constructor(port: number, options: readonly string[]) {
    this.port = port
    this.#options = options
  }

  /** Starts a server. `options` are those of its command line, like `--maxmemory 10mb`. */
  static async start(...options: readonly string[]): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), options)
    await server.start()
    return server
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`
  }

  get pid(): number {
    if (this.#process?.pid === undefined) throw new Error('redis-server does not run')
    return this.#process.pid
  }

  /** Starts the process again. Resolves when it takes commands. */
  async start(): Promise<void> {
    const usual = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.#folder, '--save', '']
    const child = spawn('redis-server', [...usual, '--appendonly', 'yes', ...this.#options], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    this.#process = child
    let printed = ''
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', code => reject(new Error(`redis-server ended with ${code}:\n${printed}`)))
      child.stdout?.on('data', chunk => {
        printed += chunk
        if (/Ready to accept connections/.test(printed)) resolve()
      })
    })
  }

  /** Ends the process, and waits until it has ended. */
  async end(signal: 'SIGTERM' | 'SIGKILL' = 'SIGKILL'): Promise<void> {
    const child = this.#process
    this.#process = undefined
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const exit = once(child, 'exit')
    child.kill(signal)
    // A process that is stopped takes no other signal.
    child.kill('SIGCONT')
    await exit
  }

  /** Keeps the files as they are now. Returns a function that puts them back. The server must not run then. */
  keepFiles(): () => void {
    const copy = `${this.#folder}-copy`
    cpSync(this.#folder, copy, { recursive: true })
    return () => {
      this.forget()
      cpSync(copy, this.#folder, { recursive: true })
      rmSync(copy, { recursive: true })
    }
  }

  /** Deletes all that the server has kept. It must not run. */
  forget(): void {
    rmSync(this.#folder, { recursive: true, force: true })
    mkdirSync(this.#folder)
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    process.kill(this.pid, signal)
  }

  /** Runs a command of Redis, like `CONFIG`, `SET`. */
  async send(...args: readonly string[]): Promise<unknown> {
    const password = this.#options[this.#options.indexOf('--requirepass') + 1] ?? ''
    const client = createClient({ url: this.url, ...(this.#options.includes('--requirepass') ? { password } : {}) })
    client.on('error', () => {})
    await client.connect()
    try {
      return await client.sendCommand([...args])
    } finally {
      client.destroy()
    }
  }

  async stop(): Promise<void> {
    await this.end()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
