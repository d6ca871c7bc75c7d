import { defaultWorldId } from '../contract/paths.js'
import { scenarioText } from '../files/scenario-file.js'
import { runAtOnce } from '../lib/steps.js'
import { didYouMean, quoted } from '../lib/text.js'
import { UsageError } from '../lib/usage-error.js'
import { createMock } from '../mock/mock.js'
import { openFolder } from '../storage/folder.js'
import { StorageError } from '../storage/storage.js'
import { WorldStorage } from '../storage/world-storage.js'
import type { FlagsOf } from './flags.js'
import type { PrintDocument } from './output.js'

/** Prints a world of a folder as YAML, or as JSON if it is long. Changes nothing in the folder. Rejects with `UsageError`. */
export async function exportFromFolder(
  { data = '', world: id = defaultWorldId, with: parts = [], revision }: Partial<FlagsOf<'export'>>,
  print: PrintDocument,
): Promise<void> {
  if (parts.includes('journal'))
    throw new UsageError('a folder has no journal: leave journal out of --with, or export from a running mock')
  const storage = new WorldStorage(openFolder(data, { readOnly: true }))
  const mock = createMock({}, { isKept: true })
  try {
    const world = mock.worlds.read(storage, id)
    if (!world) {
      const ids = storage.list().map(summary => summary.id)
      throw new UsageError(`${data} has no world ${quoted(id)}.${didYouMean(id, ids)}`)
    }
    const snapshot = runAtOnce(world.snapshot({ with: parts.includes('faults') ? ['faults'] : [], revision }))
    await print(scenarioText(JSON.stringify(snapshot)).trimEnd())
    await world.close()
  } catch (error) {
    throw error instanceof StorageError ? new UsageError(error.message) : error
  } finally {
    storage.close()
    await mock.close()
  }
}
