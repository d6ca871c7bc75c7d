import { type Client, type ClientOptions, createCheckedClient, type LossOf } from '../client/client.js'
import type { WorldControl } from '../core/control/world-control.js'
import { after } from '../core/lib/after.js'
import { isJsonObject } from '../core/lib/json.js'
import { quoted, UsageError } from '../core/lib/messages.js'
import type { Verification } from '../core/pipeline/verify.js'

/** The parts of a mock, or of a world of it, that the test tools use. */
export type TestedMock = Pick<WorldControl, 'faults' | 'journal' | 'servers' | 'snapshot' | 'warnings'>

/** The same over HTTP. */
export type TestedClient = Pick<Client, 'faults' | 'journal' | 'servers' | 'snapshot' | 'warnings'>

const losses = new WeakMap<object, LossOf>()

/** Creates the client of a test. Its `journal.expect` fails if the world loses its journal. Rejects with `ClientError`. */
export async function createTestClient(server: string, options: ClientOptions): Promise<Client> {
  let first: string | undefined
  const lossOf: LossOf = ({ run, begins_at }) =>
    first === undefined || first === run
      ? undefined
      : `the journal has no requests before ${begins_at}, because the mock was restarted or the world was deleted during this test`
  const client = createCheckedClient(server, options, lossOf)
  first = (await client.journal.verify(anyRequests)).run
  losses.set(client, lossOf)
  return client
}

const anyRequests = { count: { min: 0 } }

/** Says that the world of a test has lost its journal since the test began. Returns `undefined` if it has not. */
export function lossOfJournal(mock: object, verification: Verification): string | undefined {
  return losses.get(mock)?.(verification)
}

/** Returns the same about the journal as it is now. */
export function presentLoss(mock: TestedMock | TestedClient): string | undefined | Promise<string | undefined> {
  const lossOf = losses.get(mock)
  return lossOf && after(mock.journal.verify(anyRequests), lossOf)
}

/** Returns the value if it is a mock, a world or a client. Throws `UsageError` if it is not. */
export function checkMock(value: unknown, call: string): TestedMock | TestedClient {
  if (isJsonObject(value) && hasMethod(value.journal, 'verify') && hasMethod(value.faults, 'release'))
    return value as TestedMock // nothing else has both
  throw new UsageError(
    `${call} expects a mock, a world of a mock, or a client, and got ${describe(value)}. ${adviceFor(value)}`,
  )
}

function adviceFor(value: unknown): string {
  if (value instanceof Promise) return 'Await the promise first'
  if (isTables(value)) return 'Pass the mock itself'
  return 'Pass the mock of the test, or what setupMockmaker or createClient returned'
}

function isTables(value: unknown): boolean {
  return isJsonObject(value) && hasMethod(value.lobbies, 'create')
}

function hasMethod(value: unknown, name: string): boolean {
  return isJsonObject(value) && typeof value[name] === 'function'
}

function describe(value: unknown): string {
  if (isTables(value)) return 'its tables, mock.world'
  return typeof value === 'function' ? 'a function' : quoted(value)
}
