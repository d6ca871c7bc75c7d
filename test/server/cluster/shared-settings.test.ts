import { createHash } from 'node:crypto'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createMock } from '../../../src/core/mock/mock.js'
import { processTime } from '../../../src/core/storage/process-time.js'
import { secretsOf, shareWorlds } from '../../../src/server/cluster/keep-in-redis.js'
import { joinReplicas } from '../../../src/server/cluster/replica-storage.js'
import { proofsOf } from '../../../src/server/cluster/shared-secrets.js'
import type { SharedFlags } from '../../../src/server/cluster/shared-settings.js'
import { ModelRedis, type ScriptModel } from '../../support/script-model.js'
import { sharedModel } from '../../support/served-replicas.js'

/** Lets a replica join the others. It leaves after the test. */
async function join(
  model: ScriptModel,
  {
    address,
    flags = {},
    ...secrets
  }: { address: string; secret?: string; controlToken?: string; flags?: SharedFlags; access?: SharedFlags },
): Promise<{ leave(): Promise<void> }> {
  const mock = createMock()
  const storage = await joinReplicas(new ModelRedis(model, processTime), {
    address,
    proofsOf: id => proofsOf(secretsOf(secrets), id),
  })
  const replica = await shareWorlds(mock, storage, { flags, ...secrets })
  const leave = async () => {
    await mock.close()
    replica.close()
  }
  onTestFinished(leave)
  return { leave }
}

const [first, second] = ['http://127.0.0.1:4100', 'http://127.0.0.1:4101']
const secrets = ['the-secret-of-one-0123', 'the-secret-of-others-0'] as const

describe('a replica that differs from the others', () => {
  it.for([
    [
      { secret: secrets[0] },
      { secret: secrets[1] },
      /^MOCKMAKER_CLUSTER_SECRET differs from that of the replica http:\/\/127.0.0.1:4100: set the same one/,
    ],
    [{ secret: secrets[0] }, {}, /^MOCKMAKER_CLUSTER_SECRET is not set here, but is for the replica http/],
    [{}, { secret: secrets[1] }, /^MOCKMAKER_CLUSTER_SECRET is set here, but not for the replica http/],
    [
      { controlToken: secrets[0] },
      { controlToken: secrets[1] },
      /^the control token \(MOCKMAKER_CONTROL_TOKEN\) differs from that of the replica http/,
    ],
    [{ controlToken: secrets[0] }, {}, /^the control token \(MOCKMAKER_CONTROL_TOKEN\) is not set here, but is for /],
    [{}, { controlToken: secrets[0] }, /^the control token \(MOCKMAKER_CONTROL_TOKEN\) is set here, but not for /],
    [{ flags: { '--seed': 1 } }, { flags: { '--seed': 2 } }, /^--seed is 2, and 1 for the replicas in /],
    [{ flags: { '--live': true } }, {}, /^--live is not set, and true for the replicas in /],
    [
      { access: { '--control-host': ['10.0.0.0/8'] } },
      { access: { '--control-host': ['*'] } },
      /^--control-host differs from that of the replica http:.*: set the same one for all replicas/,
    ],
    [{ access: { '--no-control': true } }, {}, /^--no-control is not set here, but is for the replica http/],
    [{}, { access: { '--trust-proxy': ['10.0.0.1'] } }, /^--trust-proxy is set here, but not for the replica http/],
  ] as const)('does not start, and tells what differs: %#', async ([theirs, ours, expected]) => {
    const model = sharedModel()
    await join(model, { address: first, ...theirs })

    await expect(join(model, { address: second, ...ours })).rejects.toThrow(expected)
  })
})

describe('the secrets of replicas', () => {
  it('are the same for all, and none is sent to the storage', async () => {
    const model = sharedModel()
    const sent = vi.spyOn(model, 'run')
    const [secret, controlToken] = secrets
    await join(model, { address: first, secret, controlToken })

    await join(model, { address: second, secret, controlToken })

    const texts = sent.mock.calls.flatMap(([, args]) => args).join('\n')
    for (const text of secrets) {
      const digest = createHash('sha256').update(text)
      expect(texts).not.toContain(text)
      expect(texts).not.toContain(digest.copy().digest('hex').slice(0, 16))
      expect(texts).not.toContain(digest.digest('base64url').slice(0, 16))
    }
    const proofs = texts.match(/"proofs":\{[^}]*\}/g) ?? []
    // Equal secrets show different proofs, so that they tell nothing about each other.
    expect([proofs.length, new Set(proofs).size]).toEqual([2, 2])
  })

  it('can change while no replica runs', async () => {
    const model = sharedModel()
    const { leave } = await join(model, { address: first, controlToken: secrets[0] })
    await leave()

    await join(model, { address: first, controlToken: secrets[1] })

    await expect(join(model, { address: second, controlToken: secrets[0] })).rejects.toThrow(/differs from/)
  })
})
