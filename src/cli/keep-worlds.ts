import { secretVariables } from '../core/control/environment.js'
import { UsageError } from '../core/lib/messages.js'
import type { Mock } from '../core/mock/mock.js'
import type { ReloadSummary } from '../core/store/reload.js'
import type { HttpReplica } from '../server/cluster/http-replica.js'
import { isRedisUrl, keepInRedis } from '../server/cluster/keep-in-redis.js'
import { keepInFolder } from '../server/http/data-folder.js'
import { type ServeFlags, sharedFlags } from './flags.js'

interface OpenedStorage {
  /** The numbers of rows that the changed scenario has changed in a kept world. `undefined` if none was kept, or it is the same. */
  readonly merged?: ReloadSummary | undefined
  /** Set if several processes share the worlds. */
  readonly replica?: HttpReplica
  /** The host name of the game servers that this process starts. */
  readonly serverHost?: string
}

/** Keeps the worlds of a mock where `--data` says: in a folder, or in Redis. Rejects with `UsageError`. */
export async function keepWorlds(
  mock: Mock,
  flags: ServeFlags,
  { url, report }: { readonly url: string; readonly report: (text: string) => void },
): Promise<OpenedStorage> {
  const { data, dataTtl: dataTtlMs, advertise, host } = flags
  const options = { ...flags, dataTtlMs, report }
  if (data !== undefined && isRedisUrl(data)) {
    if (flags.dataSync === 'always')
      throw new UsageError('--data-sync is for a folder: remove it, and set appendfsync to always in Redis instead')
    if (flags.controlToken === 'auto')
      throw new UsageError(
        `replicas have the same control token, and each start would make another one: set ${secretVariables.controlToken} for all of them, such as to the output of openssl rand -hex 24`,
      )
    const own = advertise ?? ownUrl(host, url)
    const secret = process.env[secretVariables.clusterSecret] || undefined
    const replica = await keepInRedis(mock, {
      ...{ ...options, data, secret, host },
      advertise: own,
      flags: sharedFlags(flags, 'answers'),
      access: sharedFlags(flags, 'access'),
    })
    return { replica, serverHost: new URL(own).hostname }
  }
  const useless = advertise === undefined ? flags.dataPrefix && '--data-prefix' : '--advertise'
  if (useless)
    throw new UsageError(`${useless} is for replicas: add --data redis://127.0.0.1:6379, or remove ${useless}`)
  return data === undefined ? {} : { merged: keepInFolder(mock, { ...options, data }) }
}

function ownUrl(host: string | undefined, url: string): string {
  if (host !== '0.0.0.0' && host !== '::') return url
  throw new UsageError(
    `--host ${host} does not tell by which address other replicas reach this one: add --advertise, such as --advertise http://10.0.0.5:4100`,
  )
}
