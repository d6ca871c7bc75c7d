import { describe, expect, it, onTestFinished } from 'vitest'
import { shareWorlds } from '../../src/cluster/keep-in-redis.js'
import type { SharedFlags } from '../../src/cluster/shared-settings.js'
import { createMock } from '../../src/mock/mock.js'
import { realEnvironment } from '../../src/storage/environment.js'
import { joinReplicas } from '../../src/storage/replica-storage.js'
import { ModelRedis, type ScriptModel } from '../support/script-model.js'
import { sharedModel } from '../support/served-replicas.js'

/** Lets a replica join the others. It leaves after the test. */
async function join(
  model: ScriptModel,
  { address, secret, flags = {} }: { address: string; secret?: string; flags?: SharedFlags },
): Promise<void> {
  const mock = createMock()
  const storage = await joinReplicas(new ModelRedis(model, realEnvironment), { address })
  const replica = await shareWorlds(mock, storage, { flags, secret })
  onTestFinished(async () => {
    await mock.close()
    replica.close()
  })
}

const [first, second] = ['http://127.0.0.1:4100', 'http://127.0.0.1:4101']
const secrets = ['the-secret-of-one-0123', 'the-secret-of-others-0'] as const

describe('a replica that differs from the others', () => {
  it.for([
    [
      { secret: secrets[0] },
      { secret: secrets[1] },
      /^MOCKMAKER_CLUSTER_SECRET is another one than that of the replicas in /,
    ],
    [{ secret: secrets[0] }, {}, /^MOCKMAKER_CLUSTER_SECRET is not set, and set for the replicas in /],
    [{}, { secret: secrets[1] }, /^MOCKMAKER_CLUSTER_SECRET is set, and not set for the replicas in /],
    [{ flags: { '--seed': 1 } }, { flags: { '--seed': 2 } }, /^--seed is 2, and 1 for the replicas in /],
    [{ flags: { '--live': true } }, {}, /^--live is not set, and true for the replicas in /],
  ] as const)('does not start, and tells what differs: %#', async ([theirs, ours, expected]) => {
    const model = sharedModel()
    await join(model, { address: first, ...theirs })

    await expect(join(model, { address: second, ...ours })).rejects.toThrow(expected)
  })
})
