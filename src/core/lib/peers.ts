import { startPage, UsageError } from './messages.js'

/** The oldest version of each peer. CI installs these, and docs/reference/versions.md lists them. */
export const oldestPeers = {
  msw: '2.3.0',
  vitest: '2.0.0',
  jest: '29.4.0',
  '@playwright/test': '1.40.0',
  storybook: '8.6.0',
  vite: '5.0.0',
  'fast-check': '3.10.0',
  express: '4.17.0',
  '@redis/client': '5.1.0',
} as const

/** A package that users install beside this one. */
export type Peer = keyof typeof oldestPeers

/** Returns the error of an entry point whose peer is too old. `needed`: the oldest version that suffices. */
export function tooOld(
  entry: string,
  peer: Peer,
  {
    needed = oldestPeers[peer],
    versionOf,
  }: { readonly needed?: string; readonly versionOf?: ((peer: Peer) => string | undefined) | undefined } = {},
): UsageError {
  const version = versionOf?.(peer)
  const found = version === undefined ? 'an older one is installed' : `${version} is installed`
  return new UsageError(
    `${entry} needs ${peer} ${needed} or newer, and ${found}: npm install ${peer}@${needed.split('.', 1)}. ${startPage}`,
  )
}
