import express, { type ErrorRequestHandler, type Express } from 'express'
import { type HttpHandler, HttpResponse } from 'msw'
import { it as base } from 'vitest'
import { createMockmaker, type MockmakerOptions } from '../../../src/index.js'
import { type MockExpressOptions, mockExpress } from '../../../src/server/http/index.js'
import { sendTo, serveListener, type TestRequest } from '../../support/http.js'
import { bearer, ids, tanks, tokens } from '../../support/tanks.js'

interface Served {
  readonly url: string
  send(sent: Partial<TestRequest>): ReturnType<typeof sendTo>
}

/** Serves Express apps, and closes them after the test. */
export const it = base.extend<{ serve: (app: Express) => Promise<Served> }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern
  serve: async ({}, use) => {
    const ends: (() => Promise<unknown>)[] = []
    await use(async app => {
      const { url, close } = await serveListener(app.use(answerNotFound, answerError))
      ends.push(close)
      return { url, send: sent => sendTo(url, { method: 'GET', path: list, ...sent }) }
    })
    await Promise.all(ends.map(end => end()))
  },
})

/** A call of the mock that reads. */
export const list = '/matchmaker/lobbies/list'
/** A call of the mock with a body. */
export const validate = {
  method: 'POST',
  path: `/cloud/games/${ids.tanks}/namespaces/validate`,
  headers: bearer(tokens.cloud),
}
export const validBody = JSON.stringify({ display_name: 'Beta', name_id: 'beta' })

/** The middleware behind the mock in an app of a user. */
const answerNotFound: express.RequestHandler = (request, response) => {
  response.status(404).json({ next: `${request.method} ${request.originalUrl}`, body: request.body?.length })
}
const answerError: ErrorRequestHandler = (error: Error, _request, response, _next) => {
  response.status(500).json({ error: error.message })
}

/** Creates a mock of tanks. */
export const createTanksMock = (options: MockmakerOptions = {}) => createMockmaker({ scenario: tanks, ...options })
/** Creates an app of a user. */
export const appWith = (handlers: readonly HttpHandler[], options?: MockExpressOptions) =>
  express().use(mockExpress(handlers, options))
/** A resolver of a user. */
export const userResolver = () => HttpResponse.json({ mine: true })
