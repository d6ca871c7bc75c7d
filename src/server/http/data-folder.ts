import { UsageError } from '../../core/lib/messages.js'
import type { Mock } from '../../core/mock/mock.js'
import { StorageError } from '../../core/storage/storage.js'
import { WorldStorage } from '../../core/storage/world-storage.js'
import type { ReloadSummary } from '../../core/store/reload.js'
import { openFolder } from '../folder/folder.js'

/** A week, in ms. */
export const defaultDataTtlMs = 7 * 86_400_000

interface DataOptions {
  readonly data: string
  /** In real ms. Default: a week. */
  readonly dataTtlMs?: number | undefined
  /** When changes reach the disk. Default: once a second. */
  readonly dataSync?: 'second' | 'always' | undefined
  /** Deletes the worlds that the folder has. Default: false. */
  readonly reset?: boolean | undefined
  /** Gets a sentence about trouble with the folder. */
  report(text: string): void
}

/** Keeps a mock's worlds in a folder, or goes on with those there. Returns what a changed scenario changed. Throws `UsageError`. */
export function keepInFolder(
  mock: Mock,
  { data, dataTtlMs = defaultDataTtlMs, dataSync, reset, report }: DataOptions,
): ReloadSummary | undefined {
  const reason = 'the folder of the worlds takes no changes'
  const onFailing = (isFailing: boolean) => {
    if (isFailing) mock.notReady.add(reason)
    else mock.notReady.delete(reason)
  }
  const storage = new WorldStorage(openFolder(data, { sync: dataSync }), { report, onFailing })
  try {
    return mock.keepIn({ storage, dataTtlMs }, { reset })
  } catch (error) {
    storage.close()
    throw error instanceof StorageError ? new UsageError(error.message) : error
  }
}
