import type { Client } from '../../src/client/index.js'
import type { Mockmaker } from '../../src/index.js'
import type { ServedMock } from './served-mock.js'

/** A mock, or a client of its control API. They have the same calls. */
export type Control = Mockmaker | Client

/** The two ways to control a served mock. */
export const controls = [
  { where: 'in-process', of: ({ mock }: Pick<ServedMock, 'mock'>): Control => mock },
  { where: 'over HTTP', of: ({ client }: Pick<ServedMock, 'client'>): Control => client },
]

/** Returns the message of the error that a call throws or rejects with. */
export async function messageOf(run: () => unknown): Promise<string> {
  try {
    await run()
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('expected an error')
}
