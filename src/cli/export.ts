import { worldUrl } from '../contract/paths.js'
import { UsageError } from '../lib/usage-error.js'
import { JsonToYaml } from '../scenario/write-yaml.js'
import type { Console } from './console.js'
import { askRunningMock, readRunningMock } from './running-mock.js'

/** What `mockmaker export` was told. */
export interface ExportOptions {
  readonly url: string
  /** What else shall be in it: `journal`, `faults`. */
  readonly with?: readonly string[]
}

/** Prints the snapshot of a running world, as YAML, while it comes. Rejects with `UsageError`. */
export async function printSnapshot(
  { url, with: parts = [] }: ExportOptions,
  { printPieces }: Pick<Console, 'printPieces'>,
): Promise<void> {
  // To ask a world for its snapshot would make it, and a slip in the name would export what nobody has seen.
  const { server = url, encodedId } = worldUrl(url) ?? {}
  if (encodedId !== undefined)
    await askRunningMock({ url: server, path: `/worlds/${encodedId}`, accept: 'application/json' })
  const query = parts.length === 0 ? '' : `?${new URLSearchParams({ with: parts.join(',') })}`
  await printPieces(yamlOf(readRunningMock({ url, path: `/snapshot${query}`, accept: 'application/json' }), url))
}

async function* yamlOf(json: AsyncIterable<string>, url: string): AsyncGenerator<string, void> {
  const writer = new JsonToYaml()
  try {
    for await (const piece of json) yield writer.push(piece)
    yield writer.end()
  } catch (error) {
    if (error instanceof SyntaxError) throw new UsageError(`${url} answers no snapshot: is mockmaker there?`)
    throw error
  }
}
