import { secretVariables } from '../../core/control/environment.js'
import type { ReplicaState } from '../../core/control/world-control.js'
import { UsageError } from '../../core/lib/messages.js'
import { formatInstant } from '../../core/lib/time.js'
import { hostInUrl, parseUrl } from '../../core/lib/url.js'
import type { Mock } from '../../core/mock/mock.js'
import { isLoopbackHost } from '../../core/pipeline/origin.js'
import type { SharedStorage } from '../../core/storage/shared-storage.js'
import { StorageError } from '../../core/storage/storage.js'
import { WorldStorage } from '../../core/storage/world-storage.js'
import { checkControlToken } from '../http/control-token.js'
import { defaultDataTtlMs } from '../http/data-folder.js'
import { HttpReplica } from './http-replica.js'
import { checkSecrets, proofsOf, type SharedSecrets } from './shared-secrets.js'
import { agreeOnSettings, clearStorage, type SharedFlags } from './shared-settings.js'

interface SharingOptions {
  /** In real ms. Default: a week. */
  readonly dataTtlMs?: number | undefined
  /** Deletes the worlds that the storage has. Default: false. */
  readonly reset?: boolean | undefined
  /** The text that only replicas know. Default: one in the storage, for replicas of one machine. */
  readonly secret?: string | undefined
  /** Default: this replica has no control token. */
  readonly controlToken?: string | undefined
  /** The flags that change answers, by their names. */
  readonly flags: SharedFlags
  /** The flags that say who may use the mock, by their names. Default: none. */
  readonly access?: SharedFlags | undefined
}

interface RedisOptions extends SharingOptions {
  readonly data: string
  readonly dataPrefix?: string | undefined
  /** The URL by which other replicas reach this one. Without a slash at its end. */
  readonly advertise: string
  /** The host on which this replica listens. Default: loopback. */
  readonly host?: string | undefined
  /** Gets a sentence about trouble with the storage. */
  report(text: string): void
}

/** Tells whether the value of `--data` is a URL of Redis, and no folder. */
export function isRedisUrl(data: string): boolean {
  return /^rediss?:/i.test(data)
}

/** Shares the worlds of a mock through Redis. Rejects with `UsageError`. No message shows user or password of Redis. */
export async function keepInRedis(mock: Mock, options: RedisOptions): Promise<HttpReplica> {
  const { data, dataPrefix, advertise, report } = options
  const secret = checkSecret(options)
  // Few mocks need Redis.
  const { openRedis } = await import('./redis.js')
  const secrets = secretsOf({ ...options, secret })
  const joining = { prefix: dataPrefix, address: advertise, report, proofsOf: (id: string) => proofsOf(secrets, id) }
  const shared = await openRedis(data, joining)
  return await shareWorlds(mock, shared, { ...options, secret })
}

/** Shares the worlds of a mock through a storage. Rejects with `UsageError`, and leaves the storage then. */
export async function shareWorlds(
  mock: Mock,
  shared: SharedStorage,
  { dataTtlMs = defaultDataTtlMs, reset, secret, controlToken, flags, access }: SharingOptions,
): Promise<HttpReplica> {
  // It would report for each world what the shared storage reports once.
  const storage = new WorldStorage(shared)
  try {
    if (reset) await clearStorage(storage, shared)
    await checkSecrets(shared, secretsOf({ secret, controlToken, access }))
    await agreeOnSettings(storage, shared, { ...JSON.parse(mock.settingsText()), flags }) // an object
    mock.worlds.keepIn({ storage, dataTtlMs, shared, replicas: () => describeReplicas(shared) })
  } catch (error) {
    storage.close()
    await shared.leave()
    throw error instanceof StorageError ? new UsageError(error.message) : error
  }
  const common = secret ?? shared.secret
  mock.secrets.add(common)
  return new HttpReplica(mock, { storage: shared, secret: common })
}

function checkSecret({ secret, advertise, host }: RedisOptions): string | undefined {
  if (secret !== undefined) return checkControlToken(secret, secretVariables.clusterSecret)
  const hosts = [parseUrl(advertise)?.hostname ?? '', ...(host === undefined ? [] : [hostInUrl(host)])]
  const open = hosts.find(each => !isLoopbackHost(each))
  if (open === undefined) return undefined
  throw new UsageError(
    `replicas that other machines can reach (${open}) need a secret: set ${secretVariables.clusterSecret} to the same text for all of them, such as the output of openssl rand -hex 24`,
  )
}

/** Returns what all replicas that run have in common. */
export function secretsOf({
  secret,
  controlToken,
  access = {},
}: Pick<SharingOptions, 'secret' | 'controlToken' | 'access'>): SharedSecrets {
  const flags = Object.entries(access).map(([name, value]) => [name, JSON.stringify(value)] as const)
  return {
    [secretVariables.clusterSecret]: secret,
    [`the control token (${secretVariables.controlToken})`]: controlToken,
    ...Object.fromEntries(flags),
  }
}

async function describeReplicas(shared: SharedStorage): Promise<ReplicaState[]> {
  const [replicas, worlds] = await Promise.all([shared.replicas(), shared.refresh()])
  return replicas.map(({ id, address, startedAt }) => ({
    id,
    address,
    started_at: formatInstant(startedAt),
    ...(id === shared.self.id ? { self: true as const } : {}),
    worlds: worlds
      .filter(({ owner }) => owner?.id === id)
      .map(({ id, epoch, claimedAt, takenFrom }) => ({
        id,
        epoch,
        claimed_at: formatInstant(claimedAt),
        ...(takenFrom === undefined ? {} : { taken_from: takenFrom }),
      })),
  }))
}
