import { basename, dirname, resolve } from 'node:path'

/** For how long nothing may have happened to a file before it counts as saved, in ms. */
const settlingMs = 60

/** Who is told of a file. */
interface Listener {
  /** It is there, and may have changed. */
  onSaved(): void
  /** The system does not let it be watched. */
  onError(error: Error): void
}

/** A file that is watched. */
export interface WatchedFile {
  close(): Promise<void>
}

/**
 * Calls `onSaved` when a file is there and may have changed, and once when watching has begun: what was saved before that
 * is not missed. Editors truncate a file and write it, or put another one in its place: the call waits until that is over.
 */
export async function watchFile(path: string, { onSaved, onError }: Listener): Promise<WatchedFile> {
  const { watch } = await import('chokidar')
  const file = resolve(path)
  const folder = dirname(file)
  let timer: ReturnType<typeof setTimeout> | undefined
  const settle = () => {
    clearTimeout(timer)
    timer = setTimeout(onSaved, settlingMs)
  }
  // The folder, because a file that is replaced is another one.
  const watcher = watch(folder, {
    depth: 0,
    ignoreInitial: true,
    // It is asked with slashes on Windows, too.
    ignored: other => resolve(other) !== folder && basename(other) !== basename(file),
  })
  watcher.on('add', settle).on('change', settle).on('ready', settle)
  // The library says of errors only that they are some.
  watcher.on('error', error => onError(error as Error))
  return {
    close() {
      clearTimeout(timer)
      return watcher.close()
    },
  }
}
