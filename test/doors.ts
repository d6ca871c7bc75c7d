import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { buffer } from 'node:stream/consumers'
import express from 'express'
import { listen, mockExpress } from '../src/express.js'
import { createMockmaker, type Mockmaker } from '../src/index.js'
import { setupMockmaker } from '../src/node.js'
import type { ScenarioInput } from '../src/scenario/schema.js'
import type { World } from '../src/store/world.js'
import { serving } from './serving.js'

/** A request as a test sends it. */
export interface Sent {
  readonly method: string
  readonly path: string
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

/** An answer as a test sees it, header names in lower case. */
export interface Got {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A mock behind a door. */
export interface Opened {
  /** Where it is on a socket. */
  readonly url?: string
  /** The mock and its world, where they are of this process. */
  readonly mock?: Mockmaker
  readonly world?: World
  send(sent: Sent): Promise<Got>
  /** Has its world begin anew. */
  reset(): Promise<void>
  close(): Promise<void>
}

/** A way to reach a mock. Each opens a world of its own. */
export interface Door {
  readonly name: string
  /** `publicUrl` as in the options of a mock; the command's is always its own URL. */
  open(scenario: ScenarioInput, options?: { readonly publicUrl?: string }): Promise<Opened>
}

/** Headers that differ from door to door, or from answer to answer, and mean nothing. */
const ofTheConnection = ['rvt-ray-id', 'date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding']

/** An answer without what belongs to its connection, for comparing. */
export function comparable({ headers, ...got }: Got): Got {
  return {
    ...got,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !ofTheConnection.includes(name))),
  }
}

/** What a JSON answer says. */
export function json(got: Got): unknown {
  return JSON.parse(got.body)
}

/** What a failure says of itself, without its message: `404 API_NOT_FOUND`. */
export function failure(got: Got): string {
  return `${got.status} ${(json(got) as { code: string }).code}`
}

/** A version 4 UUID, as ray ids and the ids of device links are. */
export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const answerDoor: Door = {
  name: 'answer',
  async open(scenario, { publicUrl } = {}) {
    const mock = createMockmaker({ scenario, publicUrl })
    return {
      mock,
      world: mock.world,
      async send({ headers = {}, body, ...sent }) {
        const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
        const answer = await mock.answer({ ...sent, headers, body: bytes })
        return { ...answer, body: new TextDecoder().decode(answer.body) }
      },
      reset: () => mock.reset(),
      close: mock.close,
    }
  },
}

const mswDoor: Door = {
  name: 'MSW in-process',
  async open(scenario, { publicUrl } = {}) {
    const baseUrl = 'http://mock.test'
    const mock = setupMockmaker({ scenario, baseUrl, publicUrl })
    mock.listen({ onUnhandledRequest: 'bypass' })
    return {
      mock,
      world: mock.world,
      async send({ method, path, query, headers = {}, body }) {
        const url = `${baseUrl}${path}${query === undefined ? '' : `?${query}`}`
        const init = body === undefined ? {} : { body: typeof body === 'string' ? body : new Uint8Array(body) }
        const response = await fetch(url, { method, headers, ...init })
        return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() }
      },
      reset: () => mock.reset(),
      close: mock.close,
    }
  },
}

const expressDoor: Door = {
  name: 'mockExpress in an Express app',
  async open(scenario, { publicUrl } = {}) {
    const mock = createMockmaker({ scenario, publicUrl })
    const { url, close } = await serving(express().disable('x-powered-by').use(mockExpress(mock.handlers)))
    return {
      mock,
      world: mock.world,
      send: sent => sendTo(url, sent),
      reset: () => mock.reset(),
      async close() {
        await mock.close()
        await close()
      },
    }
  },
}

/** The server that the command runs, in this process. */
export const listenDoor: Door = {
  name: 'the listening server',
  async open(scenario, { publicUrl } = {}) {
    const mock = createMockmaker({ scenario, publicUrl })
    const { url, close } = await listen(mock, { port: 0, host: '127.0.0.1' })
    return { url, mock, world: mock.world, send: sent => sendTo(url, sent), reset: () => mock.reset(), close }
  },
}

const commandDoor: Door = {
  name: 'the command on a socket',
  async open(scenario) {
    const folder = await mkdtemp(join(tmpdir(), 'mockmaker-'))
    const file = join(folder, 'scenario.yaml')
    await writeFile(file, JSON.stringify(scenario))
    const command = await spawnCommand([file, '--port', '0', '--json'])
    return {
      url: command.url,
      send: sent => sendTo(command.url, sent),
      async reset() {
        const headers = { 'content-type': 'application/json' }
        const { status, body } = await sendTo(command.url, { method: 'POST', path: '/__mock/reset', headers })
        if (status !== 200) throw new Error(`the command does not reset: ${body}`)
      },
      async close() {
        await command.end()
        await rm(folder, { recursive: true })
      },
    }
  },
}

/** Every way to reach a mock; the command last. */
export const doors: readonly Door[] = [answerDoor, mswDoor, expressDoor, commandDoor]

/** The command, running, with the first line of its `--json`. */
export interface Spawned {
  readonly url: string
  readonly listening: { readonly tokens: readonly { readonly kind: string; readonly token: string }[] }
  /** Sends SIGTERM and answers the exit code. */
  end(): Promise<number | null>
}

/** Starts the built command, whose arguments have `--json`, and waits until it listens. */
export async function spawnCommand(args: readonly string[]): Promise<Spawned> {
  const child = spawn(process.execPath, [new URL('../dist/cli.js', import.meta.url).pathname, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = new Promise<number | null>(resolve => child.once('exit', resolve))
  const errors = buffer(child.stderr)
  const first = await new Promise<string | undefined>(resolve => {
    const lines = createInterface(child.stdout)
    lines.once('line', resolve)
    lines.once('close', () => resolve(undefined))
  })
  if (first === undefined) throw new Error(`the command did not start: ${await errors}`)
  const listening = JSON.parse(first)
  return {
    url: listening.url,
    listening,
    end() {
      child.kill('SIGTERM')
      return exited
    },
  }
}

/** Sends a request over a socket as it is: no header added but those that HTTP insists on. */
export function sendTo(url: string, { method, path, query, headers, body }: Sent): Promise<Got> {
  // Node tells the length of a body by itself only where the method usually has one.
  const length = body !== undefined && method === 'DELETE' ? { 'content-length': String(Buffer.byteLength(body)) } : {}
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${url}${path}${query === undefined ? '' : `?${query}`}`,
      { method, headers: { ...headers, ...length } },
      incoming => {
        buffer(incoming).then(
          bytes =>
            resolve({
              status: incoming.statusCode ?? 0,
              // No header of an answer comes twice.
              headers: incoming.headers as Record<string, string>,
              body: bytes.toString(),
            }),
          reject,
        )
      },
    )
    outgoing.once('error', reject)
    outgoing.end(body)
  })
}
