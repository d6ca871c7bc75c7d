import type { ReplicaState } from '../../core/control/world-control.js'
import type { SharedStorage } from '../../core/storage/shared-storage.js'

/** Lists the replicas with their worlds, the oldest first. Rejects with `StorageError`. */
export async function describeReplicas(shared: SharedStorage): Promise<ReplicaState[]> {
  const [replicas, worlds] = await Promise.all([shared.replicas(), shared.refresh()])
  return replicas.map(({ id, address, startedAt }) => ({
    id,
    address,
    started_at: new Date(startedAt).toISOString(),
    ...(id === shared.self.id ? { self: true as const } : {}),
    worlds: worlds
      .filter(({ owner }) => owner?.id === id)
      .map(({ id, epoch, claimedAt, takenFrom }) => ({
        id,
        epoch,
        claimed_at: new Date(claimedAt).toISOString(),
        ...(takenFrom === undefined ? {} : { taken_from: takenFrom }),
      })),
  }))
}
