import { createClient } from '../client/client.js'
import { call } from '../client/core.js'
import type { WorldStatus } from '../control/status.js'
import type { KeyWorld } from './key-world.js'

/** A replica of this process, and the token by which it lets this process control all worlds. */
interface OwnReplica {
  readonly url: string
  readonly ownToken: string
}

/** Returns the world of a replica, whichever process runs it. */
export function sharedWorld({ url, ownToken }: OwnReplica): KeyWorld {
  return createClient(url, { controlToken: ownToken, fetch: fetchAsOwnPage })
}

/** Asks a replica for the status of the world, whichever process runs it. Rejects with `ClientError`. */
export function askStatus({ url, ownToken: token }: OwnReplica): Promise<WorldStatus> {
  return call({ url, token, fetch: fetchAsOwnPage }, 'GET /status')
}

/** The log has no lines for what pages of the mock read. */
function fetchAsOwnPage(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  return fetch(input, { ...init, headers: { ...init?.headers, 'sec-fetch-site': 'same-origin' } })
}
