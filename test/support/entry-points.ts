import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express from 'express'
import type { ScenarioInput } from '../../src/core/scenario/schema.js'
import type { World } from '../../src/core/store/world.js'
import { createMockmaker, type Mockmaker } from '../../src/index.js'
import { setupMockmaker } from '../../src/msw/node.js'
import { listen, mockExpress } from '../../src/server/http/index.js'
import { openCommand } from './command.js'
import { ask, sendTo, serveListener, type TestRequest, type TestResponse } from './http.js'
import { tanks } from './tanks.js'

/** A mock behind an entry point. */
export interface OpenMock {
  /** Its URL, if it listens on a socket. */
  readonly url?: string
  /** The mock and its world, if they run in this process. */
  readonly mock?: Mockmaker
  readonly world?: World
  send(request: TestRequest): Promise<TestResponse>
  reset(): Promise<void>
  close(): Promise<void>
}

/** A mock in this process. */
export interface OpenLocalMock extends OpenMock {
  readonly mock: Mockmaker
  readonly world: World
}

/** A way to reach a mock. Each `open` starts a new mock. */
export interface EntryPoint<Open extends OpenMock = OpenMock> {
  readonly name: string
  /** `publicUrl` is the option of the mock. The command always uses its own URL. */
  open(scenario: ScenarioInput, options?: { readonly publicUrl?: string }): Promise<Open>
}

export const answerEntryPoint: EntryPoint<OpenLocalMock> = {
  name: 'answer',
  async open(scenario, { publicUrl } = {}) {
    const mock = createMockmaker({ scenario, publicUrl })
    return {
      mock,
      world: mock.world,
      send: request => ask(mock, request),
      reset: () => mock.reset(),
      close: mock.close,
    }
  },
}

export const mswEntryPoint: EntryPoint<OpenLocalMock> = {
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

export const expressEntryPoint: EntryPoint<OpenLocalMock> = {
  name: 'mockExpress in an Express app',
  async open(scenario, { publicUrl } = {}) {
    const mock = createMockmaker({ scenario, publicUrl })
    const { url, close } = await serveListener(express().disable('x-powered-by').use(mockExpress(mock.handlers)))
    return {
      mock,
      world: mock.world,
      send: request => sendTo(url, request),
      reset: () => mock.reset(),
      async close() {
        await mock.close()
        await close()
      },
    }
  },
}

/** The server of the command, in this process. */
export const listenEntryPoint: EntryPoint<OpenLocalMock> = {
  name: 'the listening server',
  async open(scenario, { publicUrl } = {}) {
    const mock = createMockmaker({ scenario, publicUrl })
    const { url, close } = await listen(mock, { port: 0, host: '127.0.0.1' })
    return { url, mock, world: mock.world, send: request => sendTo(url, request), reset: () => mock.reset(), close }
  },
}

export const commandEntryPoint: EntryPoint<OpenMock & { readonly url: string }> = {
  name: 'the command on a socket',
  async open(scenario) {
    const folder = await mkdtemp(join(tmpdir(), 'mockmaker-'))
    const file = join(folder, 'scenario.yaml')
    await writeFile(file, JSON.stringify(scenario))
    const { url, end } = await openCommand([file])
    return {
      url,
      send: request => sendTo(url, request),
      async reset() {
        const headers = { 'content-type': 'application/json' }
        const { status, body } = await sendTo(url, { method: 'POST', path: '/__mock/reset', headers })
        if (status !== 200) throw new Error(`the command does not reset: ${body}`)
      },
      async close() {
        await end()
        await rm(folder, { recursive: true })
      },
    }
  },
}

/** The entry points whose mock runs in this process. */
export const localEntryPoints: readonly EntryPoint<OpenLocalMock>[] = [
  answerEntryPoint,
  mswEntryPoint,
  expressEntryPoint,
  listenEntryPoint,
]

/** Serves a mock of tanks on a socket. */
export async function listenTanks(options: { readonly allowedHosts?: readonly string[] } = {}) {
  const mock = createMockmaker({ scenario: tanks })
  const { url, close } = await listen(mock, { port: 0, host: '127.0.0.1', ...options })
  return { mock, url, close }
}
