import { onTestFinished } from 'vitest'
import type { SharedStorage } from '../../src/core/storage/shared-storage.js'
import type { KeptWorld, NewKeptWorld } from '../../src/core/storage/storage.js'
import { openRedis, type RedisOptions } from '../../src/server/cluster/redis.js'
import type { ReplicaOptions } from '../../src/server/cluster/replica-storage.js'
import { newWorld } from './kept-worlds.js'
import type { RedisServer } from './redis-server.js'

let count = 0

/** Returns a prefix that no other test uses. */
export function newPrefix(): string {
  count += 1
  return `test-${count}:`
}

/** Returns an address that no other replica has. */
export function newAddress(): string {
  count += 1
  return `http://127.0.0.1:${count}`
}

/** Times for tests in which no lease may end, however busy the machine is. */
export const patient = { times: { leaseMs: 60_000, countsMs: 50_000, waitMs: 60_000 }, silenceMs: 60_000 } as const

/** Starts a replica whose worlds are on a server. It leaves after the test. Its lease does not end by itself. */
export async function replicaOf(
  server: RedisServer,
  options: RedisOptions & Partial<ReplicaOptions> = {},
): Promise<SharedStorage> {
  const storage = await openRedis(server.url, { address: newAddress(), ...patient, ...options })
  onTestFinished(() => storage.leave())
  return storage
}

/** Claims a world that does not exist, and creates it. */
export async function createWorld(
  storage: SharedStorage,
  id: string,
  start: NewKeptWorld = newWorld,
): Promise<KeptWorld> {
  await storage.claim(id, { create: true })
  const world = storage.create(id, start)
  await world.settled()
  return world
}

/** Claims a world that exists, and opens it. */
export async function openWorld(storage: SharedStorage, id: string): Promise<KeptWorld> {
  const claim = await storage.claim(id, { create: false })
  const world = storage.open(id)
  if (!world) throw new Error(`the claim is ${JSON.stringify(claim)}`)
  return world
}
