import { connectRedis, type RedisOptions } from './redis-engine.js'
import { joinReplicas, type ReplicaOptions } from './replica-storage.js'
import type { SharedStorage } from './shared-storage.js'

/**
 * Connects to Redis, and joins the replicas that share it. Rejects with `UsageError` if there is no Redis, or worlds are not safe
 * in it.
 */
export async function openRedis(url: string, options: RedisOptions & ReplicaOptions): Promise<SharedStorage> {
  return await joinReplicas(await connectRedis(url, options), options)
}
