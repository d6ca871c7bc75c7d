import { expect } from 'vitest'
import { type Got, json, type Opened } from '../doors.js'
import { bearer } from '../tanks.js'

/** A request that sends a body, JSON or as it is. */
export const post = (path: string, body: unknown, token?: string) =>
  ({
    method: 'POST',
    path,
    headers: token === undefined ? {} : bearer(token),
    body: typeof body === 'string' ? body : JSON.stringify(body),
  }) as const

/** A request without a body. */
export const request = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, token?: string) =>
  ({ method, path, headers: token === undefined ? {} : bearer(token) }) as const

/** What an answer says, which is no failure. */
export const ok = (got: Got) => {
  expect(got.status, got.body).toBe(200)
  return json(got)
}

type Run<Case> = (given: Case, there: { readonly mock: Pick<Opened, 'send'> }) => Promise<void>

/** What the specification is written in: vitest's words, or who else gathers what it says. */
export interface Frame {
  describe(name: string, specify: () => void): void
  readonly it: {
    (name: string, run: (there: { readonly mock: Pick<Opened, 'send'> }) => Promise<void>): void
    for<Case>(cases: readonly Case[]): (name: string, run: Run<Case>) => void
  }
}
