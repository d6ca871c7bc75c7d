import { send, textOf } from '../client/call.js'
import { defaultWorldId } from '../core/contract/paths.js'
import { writeJson } from '../core/lib/json.js'
import { counted, didYouMean, quoted, shellWord, sizeText, UsageError } from '../core/lib/messages.js'
import { runAtOnce } from '../core/lib/steps.js'
import { createMock } from '../core/mock/mock.js'
import type { RunningWorld } from '../core/mock/running-world.js'
import { StorageError } from '../core/storage/storage.js'
import { WorldStorage } from '../core/storage/world-storage.js'
import { capsuleHtml } from '../server/files/capsule-html.js'
import { scenarioText } from '../server/files/scenario-file.js'
import { openFolder } from '../server/folder/folder.js'
import { journalToHar } from '../server/har/write.js'
import type { FlagsOf } from './flags.js'
import type { KeyWorld } from './key-world.js'
import { type Console, type PrintDocument, replaceFile } from './output.js'
import { ask, type ControlAddress, checkWorldExists, notMockmaker, refuse, remoteOf } from './running-mock.js'

/** The longest snapshot that is read, in bytes. A string of JavaScript has at most 512 MiB. */
const longestSnapshot = 500_000_000

/** Prints the snapshot of a running world as YAML, or as JSON if it is long. Rejects with `UsageError`. */
export async function exportScenario(
  { url, controlToken, with: parts = [], revision }: FlagsOf<'export'>,
  print: PrintDocument,
): Promise<void> {
  await checkWorldExists({ url, controlToken })
  const query = { with: parts.join() || undefined, revision }
  const headers = { accept: 'application/json' }
  const response = await send(
    remoteOf({ url, controlToken }, { bytes: longestSnapshot }),
    'GET /snapshot',
    { query },
    { headers },
  ).catch(refuse(url))
  const json = await response.text().catch(cause => {
    throw new UsageError(`${url} closed the connection before the end of its response: try again`, { cause })
  })
  try {
    if (!json.startsWith('{')) throw new SyntaxError('this is no object')
    await print(scenarioText(json).trimEnd())
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new UsageError(`the response of ${url} is not a snapshot: pass the URL of a mock with --url`)
    throw error
  }
}

/** Prints the journal of a running world as a HAR. Rejects with `UsageError`. */
export async function exportHar(
  address: ControlAddress,
  { print, console }: { readonly print: PrintDocument; readonly console: Console },
): Promise<void> {
  await checkWorldExists(address)
  const { exchanges, dropped } = await ask(address, 'GET /journal', { query: {} })
  if (!Array.isArray(exchanges)) throw notMockmaker(address.url)
  await print(JSON.stringify(journalToHar(exchanges, address), null, 2))
  if (dropped > 0)
    console.warn(
      `the journal no longer has the first ${counted(dropped, 'request', 'requests')}: --journal of the mock keeps more`,
    )
}

/**
 * Writes a capsule of a running world, or of a world in a folder, to a file, or to standard output (`-`). It replaces an older file.
 * Rejects with `UsageError`, and leaves the older file as it was.
 */
export async function exportCapsule(file: string, flags: FlagsOf<'export'>, console: Console): Promise<void> {
  const { url, controlToken, data, last } = flags
  const told = setTimeout(() => console.warn(`collecting the past of the world for ${file} …`), longWaitMs)
  try {
    const html =
      data === undefined
        ? await capsuleOfRunning({ url, controlToken }, last)
        : await readFromFolder(flags, world => capsuleHtml(runAtOnce(world.capsule({ last }))))
    if (file === '-') console.printDocument(html)
    else await writeCapsule(file, { capsule: async () => html }, console.print)
  } finally {
    clearTimeout(told)
  }
}

/** Writes a capsule of a world to a file, and says so. Rejects with `UsageError`. */
export async function writeCapsule(
  file: string,
  world: Pick<KeyWorld, 'capsule'>,
  print: (line: string) => void,
): Promise<void> {
  const html = await world.capsule()
  await replaceFile(file, html)
  print(
    `${file} has the world with its past, ${sizeText(Buffer.byteLength(html))}. Open it in a browser, or serve it: mockmaker ${shellWord(file)}`,
  )
}

const longWaitMs = 1_000

async function capsuleOfRunning(address: ControlAddress, last: string | undefined): Promise<string> {
  await checkWorldExists(address)
  const remote = remoteOf(address, { bytes: longestSnapshot })
  const query = { last }
  const response = await send(remote, 'GET /capsule', { query }, { headers: { accept: 'text/html' } }).catch(
    refuse(address.url),
  )
  const html = await textOf(response, remote)
  if (response.headers.get('content-type')?.startsWith('text/html')) return html
  throw new UsageError(`the response of ${address.url} is no capsule: pass the URL of a mock with --url`)
}

/** Prints a world of a folder as YAML, or as JSON if it is long. Changes nothing in the folder. Rejects with `UsageError`. */
export async function exportFromFolder(
  { with: parts = [], revision, ...flags }: Partial<FlagsOf<'export'>>,
  print: PrintDocument,
): Promise<void> {
  if (parts.includes('journal'))
    throw new UsageError('a folder has no journal: leave journal out of --with, or export from a running mock')
  const json = await readFromFolder(flags, world =>
    writeJson(runAtOnce(world.snapshot({ with: parts.includes('faults') ? ['faults'] : [], revision }))),
  )
  await print(scenarioText(json).trimEnd())
}

async function readFromFolder(
  { data = '', world: id = defaultWorldId }: Partial<FlagsOf<'export'>>,
  read: (world: RunningWorld) => string | Promise<string>,
): Promise<string> {
  const storage = new WorldStorage(openFolder(data, { readOnly: true }))
  const mock = createMock({}, { isKept: true })
  try {
    const world = mock.worlds.read(storage, id)
    if (!world) {
      const ids = storage.list().map(summary => summary.id)
      throw new UsageError(`${data} has no world ${quoted(id)}.${didYouMean(id, ids)}`)
    }
    const text = await read(world)
    await world.close()
    return text
  } catch (error) {
    throw error instanceof StorageError ? new UsageError(error.message) : error
  } finally {
    storage.close()
    await mock.close()
  }
}
