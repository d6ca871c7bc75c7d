import express, { type Express } from 'express'
import { type AppOptions, createListener, type ServedMock } from './listener.js'

/**
 * An Express app that is the whole server: the Host check, the pages, the operations, and JSON errors for all else
 * (PROTOCOL.md B9). Another app may mount it.
 */
export function createApp(mock: ServedMock, options: AppOptions = {}): Express {
  const listener = createListener(mock, options)
  return express()
    .disable('x-powered-by')
    .use((request, response) => listener(request, response))
}
