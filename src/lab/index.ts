import { quoted, UsageError } from '../core/lib/messages.js'
import type { LabClient, LabOptions, LabReport } from './lab.js'
import { type InternalOptions, runLab } from './laboratory.js'
import type { StartClient } from './stage.js'

/** Checks a client that is a function: see `lab`. A rejection is a client that gives up, with its reason. */
export async function checkFunctionClient(
  client: LabClient,
  options: LabOptions = {},
  internal?: InternalOptions,
): Promise<LabReport> {
  if (typeof client !== 'function')
    throw new UsageError(`lab: the client is ${quoted(client)}: expected a function, as in ({ url, token }) => …`)
  return await runLab(
    {
      start: startFunction(client),
      advice: 'It must poll GET /cloud/devices/links: does it use its url and its token?',
    },
    options,
    internal,
  )
}

function startFunction(client: LabClient): StartClient {
  return ({ url, token, print }) => {
    const controller = new AbortController()
    const run = async () => {
      try {
        const printed: unknown = await client({ url, token, signal: controller.signal })
        if (typeof printed === 'string') print(printed)
        return { code: 0, reason: '' }
      } catch (error) {
        return { code: 1, reason: error instanceof Error ? error.message || error.name : String(error) }
      }
    }
    const ended = run()
    return {
      ended,
      async stop() {
        controller.abort(new Error('the check is over'))
        // A function that goes on cannot be ended. Its port closes.
      },
    }
  }
}
