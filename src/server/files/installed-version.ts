import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { oldestPeers, type Peer, tooOld } from '../../core/lib/peers.js'

/** Returns the version of a package that a file at a URL finds. Default: the working directory. `undefined`: it finds none. */
export function installedVersion(name: string, from?: string): string | undefined {
  let folder = from === undefined ? process.cwd() : dirname(fileURLToPath(from))
  for (;;) {
    try {
      return JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version
    } catch {
      const parent = dirname(folder)
      if (parent === folder) return undefined
      folder = parent
    }
  }
}

/**
 * Throws `UsageError` if the file `from` finds an older version of a peer than its entry point works with. `part` is a package
 * that tells the version.
 */
export function checkInstalled(
  entry: string,
  { peer, part = peer, from }: { readonly peer: Peer; readonly part?: string; readonly from: string },
): void {
  const version = installedVersion(part, from)
  if (version !== undefined && version.localeCompare(oldestPeers[peer], 'en', { numeric: true }) < 0)
    throw tooOld(entry, peer, { versionOf: () => version })
}
