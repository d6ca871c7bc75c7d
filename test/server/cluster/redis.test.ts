import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { processTime } from '../../../src/core/storage/process-time.js'
import type { SharedStorage } from '../../../src/core/storage/shared-storage.js'
import { StorageError } from '../../../src/core/storage/storage.js'
import { joinReplicas, type ReplicaOptions } from '../../../src/server/cluster/replica-storage.js'
import {
  appendAll,
  line,
  linesOf,
  newWorld,
  originText,
  putOrigin,
  revisionsOf,
  summary,
} from '../../support/kept-worlds.js'
import { RedisServer } from '../../support/redis-server.js'
import { createWorld, newAddress, newPrefix, openWorld, patient, replicaOf } from '../../support/replicas.js'
import { ModelRedis, ScriptModel } from '../../support/script-model.js'

const server = await RedisServer.start()

afterAll(() => server.stop())

/** A place that replicas share. */
interface Place {
  readonly join: (options?: Partial<ReplicaOptions>) => Promise<SharedStorage>
  readonly endLease: (storage: SharedStorage) => Promise<unknown>
  /** Changes fields of a world, as if the server had gone back to an older state. */
  readonly goBack: (id: string, fields: { epoch: string; born?: string; revision?: string }) => Promise<unknown>
  /** Loses a world and its epoch, as if the server had gone back to a state before them. */
  readonly lose: (id: string) => Promise<unknown>
  /** Lets the place forget that the server has run for long. */
  readonly startAnew: () => Promise<unknown>
  /** Returns what is there of a world. */
  readonly rest: (id: string) => Promise<unknown>
}

function onServer(): Place {
  const prefix = newPrefix()
  return {
    join: options => replicaOf(server, { prefix, ...options }),
    endLease: ({ self }) => server.send('DEL', `${prefix}lease:${self.id}`),
    goBack: (id, fields) => server.send('HSET', `${prefix}world:${id}`, ...Object.entries(fields).flat()),
    async lose(id) {
      await server.send('DEL', `${prefix}world:${id}`)
      await server.send('HSET', `${prefix}meta`, 'epoch', '0')
    },
    startAnew: () => server.send('HSET', `${prefix}meta`, 'run', 'an-earlier-one'),
    rest: id => server.send('KEYS', `${prefix}*${id}`),
  }
}

/** The simulation of replicas uses a model of the server. */
function inModel(): Place {
  const model = new ScriptModel(() => Date.now())
  return {
    async join(options) {
      const redis = new ModelRedis(model, processTime)
      const storage = await joinReplicas(redis, { address: newAddress(), times: patient.times, ...options })
      onTestFinished(() => storage.leave())
      return storage
    },
    endLease: async ({ self }) => model.endLease(self.id),
    goBack: async (id, fields) => Object.assign(model.worlds.get(id) ?? {}, fields),
    lose: async id => model.lose(id),
    startAnew: async () => model.restart(),
    rest: async id => [...model.worlds.keys()].filter(key => key === id),
  }
}

const greaterThan = (epoch = Number.NaN) => expect.toSatisfy((other: number) => other > epoch)

const any = { create: true } as const
const known = { create: false } as const

describe.each([
  ['Redis', onServer],
  ['the model of Redis', inModel],
])('in %s', (_, makePlace) => {
  /** Two replicas that share worlds. */
  async function twoReplicas() {
    const place = makePlace()
    return { place, a: await place.join(), b: await place.join() }
  }

  describe('a claim', () => {
    it('of an unknown world is absent, unless it may be created', async () => {
      const { a } = await twoReplicas()

      expect(await a.claim('x', known)).toEqual({ kind: 'absent' })
      const claim = await a.claim('x', any)
      expect(claim).toEqual({ kind: 'new', epoch: expect.any(Number) })
      expect(await a.claim('x', any)).toEqual(claim)
      expect(await a.claim('x', known)).toEqual({ kind: 'absent' })
    })

    it('keeps others from creating the world', async () => {
      const { a, b } = await twoReplicas()
      const { epoch } = (await a.claim('x', any)) as { epoch: number }

      expect(await b.claim('x', any)).toEqual({ kind: 'other', owner: a.self, epoch })
      await a.release('x')
      expect(await b.claim('x', any)).toEqual({ kind: 'new', epoch: greaterThan(epoch) })
    })

    it('names the owner while it lives', async () => {
      const { a, b } = await twoReplicas()
      await createWorld(a, 'x')

      const { epoch } = (await a.claim('x', known)) as { epoch: number }
      expect(await b.claim('x', any)).toEqual({ kind: 'other', owner: a.self, epoch })
      expect([a.owns('x'), b.owns('x')]).toEqual([true, false])
      expect(await a.claim('x', known)).toEqual({ kind: 'mine', epoch })
    })

    it('takes a world over that was given back, with the next epoch', async () => {
      const { a, b } = await twoReplicas()
      const world = await createWorld(a, 'x')
      const [before] = await a.refresh()
      appendAll(world, 11, 12)
      await a.release('x')

      expect(a.owns('x')).toBe(false)
      const claim = await b.claim('x', known)
      expect(claim).toEqual({ kind: 'mine', epoch: greaterThan(before?.epoch) })
      expect(b.open('x')).toMatchObject({ starts: 2, lines: [line(11), line(12)] })
      expect((await b.refresh())[0]).toMatchObject({
        id: 'x',
        owner: b.self,
        epoch: (claim as { epoch: number }).epoch,
      })
      expect((await b.refresh())[0]).not.toHaveProperty('takenFrom')
    })

    it.for([
      ['that does not exist', 'new'],
      ['that was given back', 'mine'],
      ['whose owner is gone', 'mine'],
    ] as const)('of a world %s goes to one of two replicas that claim it at once', async ([what, kind]) => {
      const { place, a, b } = await twoReplicas()
      const ids = Array.from({ length: 100 }, (_, i) => `w${i}`)
      if (kind === 'mine') {
        // It renews its lease too late.
        const owner = await place.join({ times: { ...patient.times, renewMs: 60_000 } })
        await Promise.all(ids.map(id => createWorld(owner, id)))
        if (what === 'that was given back') await Promise.all(ids.map(id => owner.release(id)))
        else await place.endLease(owner)
      }

      // Either of them is first.
      const pairs = ids.map((_, i) => (i % 2 === 0 ? [a, b] : [b, a]))
      const claims = await Promise.all(
        ids.map((id, i) => Promise.all(pairs[i]?.map(each => each.claim(id, any)) ?? [])),
      )

      expect(claims.map(pair => pair.map(claim => claim.kind).sort())).toEqual(ids.map(() => [kind, 'other'].sort()))
      const winners = pairs.map(([one, two], i) => (claims[i]?.[0]?.kind === kind ? one : two)?.self)
      expect(claims.map(pair => pair.find(claim => claim.kind === 'other'))).toEqual(
        winners.map(owner => expect.objectContaining({ owner })),
      )
      expect(ids.filter(id => a.owns(id) && b.owns(id))).toEqual([])
    })

    it('is one if it is asked for twice at once', async () => {
      const { a } = await twoReplicas()

      const [first, second] = await Promise.all([a.claim('x', any), a.claim('x', any)])

      expect(second).toEqual(first)
    })

    it('waits for living owners first, once the server has started again', async () => {
      const { a, place } = await twoReplicas()
      const other = await place.join({ times: { ...patient.times, waitMs: 50 } })
      await createWorld(a, 'x')
      await a.release('x')
      await place.startAnew()

      for (const id of ['x', 'y']) await expect(other.claim(id, any)).rejects.toThrow('has not answered for 50ms')
    })
  })

  describe('a world in Redis', () => {
    it('is read back as it was written', async () => {
      const { a, b } = await twoReplicas()
      const world = await createWorld(a, 'x', { ...newWorld, base: '"base é"' })
      const hash = putOrigin(world, '{"title":"Ships"}')
      world.append({ revision: 11, text: JSON.stringify({ hash }) })
      world.writeTime('{"now":5}')
      world.summarize({ ...summary, title: 'Ships', revision: 11 })
      await a.release('x')

      const opened = await openWorld(b, 'x')

      expect(opened).toMatchObject({ starts: 2, base: '"base é"', time: '{"now":5}', cutBytes: 0 })
      expect(opened.lines).toEqual([{ revision: 11, text: JSON.stringify({ hash }) }])
      expect(opened.origin(opened.originHash)).toBe(originText)
      expect(opened.origin(hash)).toBe('{"title":"Ships"}')
      expect(b.list()).toEqual([
        {
          ...{ ...summary, id: 'x', title: 'Ships', revision: 11, owner: b.self },
          ...{ epoch: expect.any(Number), claimedAt: expect.any(Number) },
        },
      ])
    })

    it('settles when all its lines are acknowledged', async () => {
      const { a } = await twoReplicas()
      const world = await createWorld(a, 'x')
      appendAll(world, 11, 12)

      expect(world.settled()).toBeInstanceOf(Promise)
      await world.settled()
      expect(world.settled()).toBeUndefined()
    })

    it('keeps the lines after a new base, and drops the others', async () => {
      const { a, b } = await twoReplicas()
      const world = await createWorld(a, 'x')
      const hash = putOrigin(world, '{"old":true}')
      world.append({ revision: 11, text: JSON.stringify({ hash }) })
      appendAll(world, 12, 13)
      const before = world.bytesUpTo(12)

      world.replaceBase({ parts: ['"ba', 'se"'], revision: 12, originHash: world.originHash })
      await expect.poll(() => world.baseBytes).toBe(6)
      await a.release('x')
      const opened = await openWorld(b, 'x')

      expect(before).toBeGreaterThan(0)
      expect([opened.base, opened.baseBytes, linesOf(opened)]).toEqual(['"base"', 6, [line(13)]])
      expect(opened.bytesUpTo(12)).toBe(0)
      expect(() => opened.origin(hash)).toThrow(StorageError)
    })

    it('keeps an origin that a line names while the base is replaced', async () => {
      const { a, b } = await twoReplicas()
      const world = await createWorld(a, 'x')
      appendAll(world, 11)
      world.replaceBase({ parts: ['"base"'], revision: 11, originHash: world.originHash })
      const hash = putOrigin(world, '{"new":true}')
      world.append({ revision: 12, text: JSON.stringify({ hash }) })
      await a.release('x')
      const opened = await openWorld(b, 'x')

      expect([opened.base, opened.origin(hash)]).toEqual(['"base"', '{"new":true}'])
    })

    it('can be read while another replica runs it', async () => {
      const { a, b } = await twoReplicas()
      const world = await createWorld(a, 'x')
      appendAll(world, 11)
      await world.settled()

      const copy = await b.read('x')

      expect(revisionsOf(copy)).toEqual([11])
      expect(() => copy?.append(line(12))).toThrow('is open for reading only')
      expect(await b.read('y')).toBeUndefined()
    })

    it('of 20 MB in one change is kept', { tags: ['slow'] }, async () => {
      const { a, b } = await twoReplicas()
      const world = await createWorld(a, 'x')
      const large = line(11, 10 * 1024 ** 2)
      world.append(large)
      appendAll(world, 12)
      await a.release('x')

      expect(linesOf(await openWorld(b, 'x')).map(({ text }) => text.length)).toEqual([
        large.text.length,
        line(12).text.length,
      ])
    })

    it('is read in pages', async () => {
      const { a, b } = await twoReplicas()
      const world = await createWorld(a, 'x')
      const revisions = Array.from({ length: 3_000 }, (_, i) => 11 + i)
      appendAll(world, ...revisions)
      await a.release('x')

      expect(revisionsOf(await openWorld(b, 'x'))).toEqual(revisions)
    })

    it('takes no line of a former owner', async () => {
      const { place, a, b } = await twoReplicas()
      const world = await createWorld(a, 'x')
      await place.endLease(a)
      const taken = await openWorld(b, 'x')
      appendAll(world, 11)

      await expect(world.settled()).rejects.toThrow(`${b.self.address} runs the world "x" now`)
      appendAll(taken, 11)
      await taken.settled()
      expect(revisionsOf(await a.read('x'))).toEqual([11])
    })

    it.for([
      ['before its claim', { epoch: '5' }],
      ['with an earlier world of its id', { epoch: '5', born: 'before', revision: '99' }],
    ] as const)('is written again, if the server goes back to a state %s', async ([, fields]) => {
      const { a, b, place } = await twoReplicas()
      const world = await createWorld(a, 'x')
      await place.goBack('x', fields)
      await place.startAnew()
      appendAll(world, 11)
      await expect.poll(() => world.needsBase).toBe(true)
      appendAll(world, 12)
      world.replaceBase({ parts: ['"base"'], revision: 12, originHash: world.originHash })
      await world.settled()
      appendAll(world, 13)
      await world.settled()

      const copy = await b.read('x')
      expect([copy?.born, copy?.base, revisionsOf(copy)]).toEqual([world.born, '"base"', [13]])
      expect(await b.claim('x', any)).toMatchObject({ kind: 'other', owner: a.self })
    })

    it('that the server lost goes back to its owner, although a new world comes first', async () => {
      const { a, b, place } = await twoReplicas()
      const world = await createWorld(a, 'x')
      await place.lose('x')
      await place.startAnew()
      await b.create('y', newWorld).settled()
      appendAll(world, 11)
      await expect.poll(() => world.needsBase).toBe(true)
      world.replaceBase({ parts: ['"base"'], revision: 11, originHash: world.originHash })
      await world.settled()

      expect(await b.read('x')).toMatchObject({ born: world.born, base: '"base"' })
    })

    it('is gone when it is deleted, and its epoch does not come back', async () => {
      const { a, b, place } = await twoReplicas()
      const world = await createWorld(a, 'x')
      const [{ epoch } = {}] = await a.refresh()
      a.delete('x')
      await a.flush('x')

      expect(() => world.append(line(11))).toThrow(StorageError)
      expect([a.list(), await b.refresh()]).toEqual([[], []])
      expect(await place.rest('x')).toEqual([])
      expect(await b.claim('x', any)).toEqual({ kind: 'new', epoch: greaterThan(epoch) })
    })

    it('can be created again at once', async () => {
      const { a, b } = await twoReplicas()
      await createWorld(a, 'x')
      a.delete('x')
      const world = a.create('x', newWorld)
      appendAll(world, 11)
      await a.flush('x')
      await a.release('x')

      expect(revisionsOf(await openWorld(b, 'x'))).toEqual([11])
    })

    it('is not deleted by a replica that does not run it', async () => {
      const { a, b } = await twoReplicas()
      await createWorld(a, 'x')
      await b.refresh()
      b.delete('x')

      await expect(b.flush('x')).rejects.toThrow(`cannot delete the world "x": the replica ${a.self.address} runs`)
      expect(await a.refresh()).toHaveLength(1)
    })
  })

  describe('the replicas of a storage', () => {
    it('know each other, and the same secret', async () => {
      const { a, b } = await twoReplicas()

      expect(await a.replicas()).toEqual([a.self, b.self])
      expect(await a.isAlive(b.self.id)).toBe(true)
      expect(b.secret).toBe(a.secret)
      await b.leave()
      expect(await a.isAlive(b.self.id)).toBe(false)
      expect(await a.replicas()).toEqual([a.self])
    })

    it('do not have the same address', async () => {
      const { a, place } = await twoReplicas()

      await expect(place.join({ address: a.self.address })).rejects.toThrow(
        `another replica with the address ${a.self.address} is running: give each replica its own address with --advertise. If that replica was killed a moment ago, start again in 3 s`,
      )
    })

    it('share settings, which the first one puts', async () => {
      const { a, b } = await twoReplicas()
      a.saveSettings('{"seed":1}')
      await a.flush()
      b.saveSettings('{"seed":2}')

      await expect(b.flush()).rejects.toThrow('another replica has changed the settings')
      await b.refresh()
      expect(b.settings).toBe('{"seed":1}')
      b.saveSettings(undefined)
      await b.flush()
      await a.refresh()
      expect(a.settings).toBeUndefined()
    })
  })
})
