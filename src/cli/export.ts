import { worldUrl } from '../contract/world-url.js'
import type { Console } from './console.js'
import { askRunningMock } from './running-mock.js'

/** What `mockmaker export` was told. */
export interface ExportOptions {
  readonly url: string
  /** What else shall be in it: `journal`, `faults`. */
  readonly with?: readonly string[]
}

/** Prints the snapshot of a running world, as YAML. Rejects with `UsageError`. */
export async function printSnapshot(
  { url, with: parts = [] }: ExportOptions,
  { printDocument }: Pick<Console, 'printDocument'>,
): Promise<void> {
  // To ask a world for its snapshot would make it, and a slip in the name would export what nobody has seen.
  const { server = url, encodedId } = worldUrl(url) ?? {}
  if (encodedId !== undefined)
    await askRunningMock({ url: server, path: `/worlds/${encodedId}`, accept: 'application/json' })
  const query = parts.length === 0 ? '' : `?${new URLSearchParams({ with: parts.join(',') })}`
  const yaml = await askRunningMock({ url, path: `/snapshot${query}`, accept: 'application/yaml' })
  printDocument(yaml.replace(/\n$/, ''))
}
