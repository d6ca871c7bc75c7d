import { onTestFinished } from 'vitest'
import { createMock, type Mock } from '../../src/core/mock/mock.js'
import type { AppOptions, MockmakerOptions } from '../../src/core/mock/options.js'
import { processTime } from '../../src/core/storage/process-time.js'
import { shareWorlds } from '../../src/server/cluster/keep-in-redis.js'
import { joinReplicas } from '../../src/server/cluster/replica-storage.js'
import { bind, createListener } from '../../src/server/http/server.js'
import { ModelRedis, ScriptModel } from './script-model.js'
import { tanks } from './tanks.js'

/** A replica in this process, on a port. */
export interface ServedReplica {
  readonly mock: Mock
  readonly url: string
  readonly redis: ModelRedis
  /** The id that it has in the storage. */
  readonly id: string
  /** Hands its worlds over, and frees the port. */
  close(): Promise<void>
}

type ReplicaOptions = MockmakerOptions & {
  readonly app?: AppOptions
  readonly dataTtlMs?: number
  readonly reset?: boolean
  /** The token by which a terminal of this process controls the mock. Default: none. */
  readonly ownToken?: string
}

/** The storage of several replicas in this process: a model of Redis. */
export function sharedModel(): ScriptModel {
  return new ScriptModel(Date.now)
}

/** Serves a replica. It closes after the test. */
export async function serveReplica(...args: Parameters<typeof startReplica>): Promise<ServedReplica> {
  const replica = await startReplica(...args)
  onTestFinished(() => replica.close())
  return replica
}

/** Serves a replica until `close`. */
export async function startReplica(
  model: ScriptModel,
  { app, dataTtlMs, reset, ownToken, ...options }: ReplicaOptions = {},
): Promise<ServedReplica> {
  const bound = await bind({ port: 0, host: '127.0.0.1', isReplica: true })
  const mock = createMock({ scenario: tanks, ...options }, { commands: 'allowed' })
  const redis = new ModelRedis(model, processTime)
  const storage = await joinReplicas(redis, { address: bound.url })
  const replica = await shareWorlds(mock, storage, { flags: {}, dataTtlMs, reset })
  bound.serve(createListener(mock, app, { router: replica, ownToken }), { waits: true })
  let closed: Promise<void> | undefined
  const close = async () => {
    mock.announceClose()
    replica.announceClose()
    await bound.close(mock)
    replica.close()
  }
  const closeOnce = () => {
    closed ??= close()
    return closed
  }
  return { mock, url: bound.url, redis, id: storage.self.id, close: closeOnce }
}
