import { fc, it } from '@fast-check/vitest'
import { createClient } from '@redis/client'
import { afterAll, describe, expect, inject } from 'vitest'
import { connectRedis } from '../../../src/server/cluster/redis.js'
import type { Reply, ScriptCommand } from '../../../src/server/cluster/redis-client.js'
import { RedisServer } from '../../support/redis-server.js'
import { ScriptModel } from '../../support/script-model.js'

const server = await RedisServer.start()
const client = await createClient({ url: server.url }).connect()
const prefix = 'test:'
const redis = await connectRedis(server.url, { prefix })

afterAll(async () => {
  redis.close()
  client.destroy()
  await server.stop()
})

/** In most commands for a world, its owner. */
const replica = fc.constantFrom('a', 'b', 'c', 'owner', 'owner', 'owner', 'owner', 'owner', 'owner')
const world = fc.constantFrom('x', 'x', 'x', 'y')
/** Texts of one byte and more for each character, and one that Redis stores in another way. */
const text = fc.constantFrom('1', 'é', '"long"'.repeat(20))
const hash = fc.constantFrom('h1', 'h2', 'h3')
/** The distance to the epoch or the revision that the model has. Most commands have the right one. */
const offset = fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 0, 1, -1)
const attempt = fc.constantFrom('1', '1', '1', '2')

const step = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('enter' as const), replica, log: fc.constantFrom('', 'log', 'other') }),
  },
  // Its lease ends.
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('end' as const), replica }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('claim' as const), replica, world, create: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('create' as const),
      ...{ replica, world, offset, hash, text },
      hasEpoch: fc.boolean(),
      born: fc.constantFrom('b1', 'b2'),
      base: fc.constantFrom('', '"base"'),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('append' as const),
      ...{ replica, world, offset, before: offset, text },
      by: fc.constantFrom(1, 1, 2, 0, -1),
      origins: fc.array(fc.tuple(hash, text), { maxLength: 2 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('part' as const, 'part' as const, 'abandon' as const),
      ...{ replica, world, offset, text, attempt },
      isFirst: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('base' as const),
      ...{ replica, world, offset, revision: fc.constantFrom(0, -1, -2, 3), hash, attempt },
      sent: fc.constantFrom(0, 0, 0, 3, -1),
      origins: fc.array(fc.tuple(hash, text), { maxLength: 1 }),
      named: fc.array(hash, { maxLength: 3 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('note' as const, 'release' as const, 'delete' as const, 'resume' as const),
      ...{ replica, world, offset, text },
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('lines' as const, 'read' as const),
      ...{ replica, world, offset },
      hasEpoch: fc.boolean(),
      after: fc.nat(12),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('settings' as const),
      replica,
      before: text,
      after: fc.constantFrom('', '1', 'é'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('list' as const, 'replicas' as const, 'leave' as const), replica }),
  },
  // An earlier command comes again, perhaps from somebody who knows another log.
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('again' as const),
      ago: fc.nat(79),
      log: fc.constantFrom('log', 'log', 'other'),
    }),
  },
)

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

/** A command with its arguments. */
type Call = readonly [command: ScriptCommand, args: readonly string[]]

/** A server and a model of it that get the same commands. */
class Pair {
  readonly model = new ScriptModel(() => 0)
  readonly #calls: Call[] = []
  async run(step: Step): Promise<void> {
    if (step.kind === 'end') {
      this.model.endLease(step.replica)
      await client.del(`${prefix}lease:${step.replica}`)
      return
    }
    const [command, args] = step.kind === 'again' ? this.#callAgain(step) : this.#callOf(step)
    this.#calls.push([command, args])
    const reply = await redis.run(command, args)
    expect(comparable(command, reply)).toEqual(comparable(command, this.model.run(command, args)))
  }

  /** Compares all that is stored, except the times of claims. */
  async check(): Promise<void> {
    const worlds: Record<string, unknown> = {}
    for (const key of await client.keys(`${prefix}world:*`)) {
      const id = key.slice(`${prefix}world:`.length)
      const { claimed_at: _, ...fields } = await client.hGetAll(key)
      const at = (kind: string) => `${prefix}${kind}:${id}`
      const lines = await client.xRange(at('log'), '-', '+')
      worlds[id] = {
        fields: { ...fields },
        lines: (lines ?? []).map(({ id, message }) => [id, message.line]),
        origins: { ...(await client.hGetAll(at('origins'))) },
        base: (await client.get(at('base'))) ?? '',
        newBase: (await client.get(at('base-new'))) ?? undefined,
      }
    }
    expect(worlds).toEqual(Object.fromEntries([...this.model.worlds.keys()].map(id => [id, this.#stored(id)])))
    // Nothing else is left of worlds that are gone.
    const parts = await client.keys(`${prefix}{log,base,base-new,origins}:*`)
    expect(parts.filter(key => !(key.slice(key.lastIndexOf(':') + 1) in worlds))).toEqual([])
  }

  #stored(id: string) {
    const world = this.model.worlds.get(id)
    if (!world) throw new Error('the model has no such world')
    const { owner, epoch, takenFrom, born, starts, revision, baseRevision, origin, time, summary, logBytes } = world
    const isBorn = born !== undefined
    const originBytes = [...world.origins.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0)
    const fields = {
      ...{ owner, epoch, taken_from: takenFrom, born, revision, base_revision: baseRevision, origin },
      time: time === '' ? undefined : time,
      summary: summary === '' ? undefined : summary,
      regained: world.isRegained ? '1' : undefined,
      new_base: world.newBase?.attempt,
      starts: isBorn ? String(starts) : undefined,
      log_bytes: isBorn ? String(logBytes) : undefined,
      base_bytes: isBorn ? String(Buffer.byteLength(world.base)) : undefined,
      origin_bytes: isBorn ? String(originBytes) : undefined,
    }
    return {
      fields: Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
      lines: [...world.lines].map(([revision, text]) => [`${revision}-0`, text]),
      origins: Object.fromEntries(world.origins),
      base: world.base,
      newBase: world.newBase?.text,
    }
  }

  #callAgain({ ago, log }: Extract<Step, { kind: 'again' }>): Call {
    const [command, args] = this.#calls.at(-1 - (ago % this.#calls.length)) ?? ['replicas', ['', 'a']]
    return [command, [log, ...args.slice(1)]]
  }

  #callOf(step: Exclude<Step, { kind: 'end' | 'again' }>): Call {
    const id = 'world' in step ? step.world : ''
    const stored = this.model.worlds.get(id)
    const epoch = 'offset' in step ? String(Number(stored?.epoch ?? 1) + step.offset) : ''
    const revision = Number(stored?.revision ?? 10)
    const replica = step.replica === 'owner' ? (stored?.owner ?? 'a') : step.replica
    const call = (command: ScriptCommand, ...args: readonly string[]): Call => [command, ['log', replica, ...args]]
    switch (step.kind) {
      case 'enter':
        return [
          'enter',
          [step.log, step.replica, JSON.stringify({ address: step.replica }), '600000', '1', 'log', 'secret'],
        ]
      case 'claim':
        return call('claim', id, step.create ? '1' : '0')
      case 'create': {
        const origin = [step.hash, step.text] as const
        return call('create', id, step.hasEpoch ? epoch : '', step.born, '10', '{"title":1}', ...origin, step.base)
      }
      case 'append': {
        const before = revision + step.before
        return call('append', id, epoch, String(before), String(before + step.by), step.text, ...step.origins.flat())
      }
      case 'part':
        return call('part', id, epoch, step.attempt, step.isFirst ? '1' : '', step.text)
      case 'base': {
        const origins = [String(step.origins.length), ...step.origins.flat(), ...step.named]
        const at = [String(revision + step.sent), String(revision + step.revision)] as const
        return call('base', id, epoch, step.attempt, ...at, step.hash, '7', 'b3', '5', '{}', ...origins)
      }
      case 'note':
        return call('note', id, epoch, step.text, step.text === '1' ? '' : step.text)
      case 'lines':
        return call('lines', id, step.hasEpoch ? epoch : '', String(step.after), '2')
      case 'read':
        return call('read', id, step.hasEpoch ? epoch : '')
      case 'settings':
        return call('settings', step.before === '1' ? '' : step.before, step.after)
      case 'abandon':
      case 'release':
      case 'delete':
      case 'resume':
        return call(step.kind, id, epoch)
      default:
        return call(step.kind)
    }
  }
}

/** Redis gives sets and hashes in any order, and the time of its own clock. */
function comparable(command: ScriptCommand, reply: Reply): unknown {
  if (command === 'replicas' && reply[0] === 'ok') return [reply[0], sorted(reply[1])]
  if (command === 'read' && reply[0] === 'ok') return reply.map((part, i) => (i === 9 ? sorted(part) : part))
  if (command !== 'list' || reply[0] !== 'ok') return reply
  return [...reply.slice(0, 2), sorted((reply[2] as readonly Reply[]).map(row => row.toSpliced(3, 1).join()))]
}

function sorted(list: unknown): unknown {
  return [...(list as readonly string[])].sort()
}

describe('the script', () => {
  it.prop([fc.array(step, { minLength: 1, maxLength: 80, size: 'max' })], { numRuns: inject('runs') })(
    'does on Redis what its model does',
    async steps => {
      await client.flushDb()
      const pair = new Pair()
      for (const replica of ['a', 'b'] as const) await pair.run({ kind: 'enter', replica, log: '' })
      for (const step of steps) await pair.run(step)
      await pair.check()
    },
  )
})
