import { createRequire } from 'node:module'
import { join } from 'node:path'
import { oldestPeers, type Peer, tooOld } from '../../core/lib/peers.js'

/** Returns the version of a package that a file finds. Default: a file of the working directory. `undefined`: it finds none. */
export function installedVersion(name: string, from = join(process.cwd(), 'package.json')): string | undefined {
  try {
    return createRequire(from)(`${name}/package.json`).version
  } catch {
    return undefined
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
