import { scryptSync } from 'node:crypto'
import { UsageError } from '../../core/lib/messages.js'
import type { SharedStorage } from '../../core/storage/shared-storage.js'

/** The secrets and flags that all replicas have in common, by their names in messages. */
export type SharedSecrets = Readonly<Record<string, string | undefined>>

/** Enough that nobody guesses another proof, in bytes. */
const proofBytes = 12

/** Makes each guess at a secret slow: it takes some 10 ms. */
const cost = 2 ** 12

/** Returns a proof of each secret. Only who has the secret can make the same one. `replica` is the id of the replica that shows it. */
export function proofsOf(secrets: SharedSecrets, replica: string): Readonly<Record<string, string>> {
  const proofs = Object.entries(secrets).flatMap(([name, secret]) =>
    secret === undefined ? [] : [[name, scryptSync(secret, replica, proofBytes, { N: cost }).toString('base64url')]],
  )
  return Object.fromEntries(proofs)
}

/** Compares the secrets with those of the replicas that run. Rejects with `UsageError` if they differ, and with `StorageError`. */
export async function checkSecrets(shared: SharedStorage, secrets: SharedSecrets): Promise<void> {
  for (const { id, address, proofs = {} } of await shared.replicas()) {
    if (id === shared.self.id) continue
    const ours = proofsOf(secrets, id)
    for (const name of new Set([...Object.keys(secrets), ...Object.keys(proofs)])) {
      const [here, there] = [ours[name], proofs[name]]
      if (here === there) continue
      const difference =
        here === undefined
          ? `is not set here, but is for the replica ${address}`
          : there === undefined
            ? `is set here, but not for the replica ${address}`
            : `differs from that of the replica ${address}`
      throw new UsageError(`${name} ${difference}: set the same one for all replicas, or stop the others first`)
    }
  }
}
