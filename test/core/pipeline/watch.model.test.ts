import { fc, it } from '@fast-check/vitest'
import { describe, expect, inject } from 'vitest'
import type { ScenarioInput } from '../../../src/core/scenario/schema.js'
import type { Dependencies } from '../../../src/core/store/dependencies.js'
import type { DeviceLinkRow } from '../../../src/core/store/rows.js'
import type { LiveWorld } from '../../../src/core/store/world.js'
import { createMockmaker, type Mockmaker } from '../../../src/index.js'
import { ask, json, type TestResponse } from '../../support/http.js'
import { completion, ids, tanks } from '../../support/tanks.js'
import { flushPromises, live } from '../../support/worlds.js'

const timeoutMs = 1_000
const links = ['device.mock.a', 'device.mock.b', 'device.mock.expires', 'device.mock.completes'] as const
type Link = (typeof links)[number]

const scenario: ScenarioInput = {
  ...tanks,
  device_links: [
    { token: 'device.mock.a' },
    { token: 'device.mock.b' },
    { token: 'device.mock.expires', expires_after: '900ms' },
    { token: 'device.mock.completes', completes_after: '1500ms', game: 'tanks' },
  ],
}

/** Commands for a mock. Those of one batch start without waiting for each other. */
type Action =
  | { readonly kind: 'poll'; readonly link: Link; readonly index: 'none' | 'current' | 'stale' | 'newer' }
  | { readonly kind: 'complete' | 'put off' | 'touch in vain' | 'delete' | 'create'; readonly link: Link }
  | { readonly kind: 'complete and put off'; readonly link: Link }
  | { readonly kind: 'advance'; readonly ms: number }
  | { readonly kind: 'abort'; readonly nth: number }
  | { readonly kind: 'unrelated write' | 'prepare' | 'reset' }

const link = fc.constantFrom(...links)
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('poll'), link, index: fc.constant('current') } as const) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('poll'),
      link,
      index: fc.constantFrom('none', 'stale', 'newer'),
    } as const),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('complete', 'put off', 'touch in vain', 'delete', 'create', 'complete and put off'),
      link,
    } as const),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('advance'), ms: fc.nat(1_200) } as const) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('abort'), nth: fc.nat(5) } as const) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('unrelated write', 'prepare', 'reset') } as const) },
)
const batches = fc.array(fc.array(action, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 12 })

interface Poll {
  readonly link: Link
  /** The index in the request. */
  readonly after: string | undefined
  /** The correct index at the time of the request. */
  readonly current: number
  /** The advanced time at which it started: at the start and the end of its batch. */
  readonly since: number
  until?: number
  readonly client: AbortController
  got?: TestResponse
  /** The time of the world at the answer. */
  readonly answeredAt?: number
}

type CompleteLink = Extract<DeviceLinkRow, { status: 'complete' }>

interface Change {
  readonly index: number
  /** Undefined while the link is pending. */
  readonly cloudToken: string | undefined
}

/** A mock under test, and a model that follows its change sets alone. */
class Model {
  readonly mock = createMockmaker({ scenario, watchTimeoutMs: timeoutMs })
  readonly world: LiveWorld = live(this.mock.world)
  readonly polls: Poll[] = []
  /** The changes of each link, oldest first, with the correct index and the token in its answers. */
  readonly changes = new Map<Link, Change[]>(
    links.map(link => [link, [{ index: this.world.revision, cloudToken: undefined }]]),
  )
  /** The unchecked watches, in order. */
  readonly answers: Required<Omit<Poll, 'until'>>[] = []
  /** The expiry of each link since an index. A deleted link expired long ago. */
  readonly expiries = new Map<Link, { readonly index: number; readonly at: number }[]>(
    links.map(link => [link, [{ index: this.world.revision, at: expiryOf(this.world.deviceLinks.get(link)) }]]),
  )
  elapsed = 0
  closed = false
  /** Tells whether the current batch replaces the world, which answers all watches. */
  beginsAnew = false
  listening = 0

  constructor() {
    const rows = new Map(this.world.deviceLinks.all().map(row => [row.device_link_token, JSON.stringify(row)]))
    this.world.subscribe(({ revision, changes, cause }) => {
      for (const { table, id, after } of changes) {
        const text = after && JSON.stringify(after.row)
        // A row with a new position only has not changed.
        if (table !== 'deviceLinks' || rows.get(id) === text) continue
        const shown = after?.row as Partial<CompleteLink> | undefined
        const cloudToken = after ? shown?.cloud_token : 'deleted'
        const changes = this.changes.get(id as Link)
        // A reset makes the row again. Any other change without effect on the answers raises no index.
        if (cause.kind === 'reset' || changes?.at(-1)?.cloudToken !== cloudToken)
          changes?.push({ index: revision, cloudToken })
        this.expiries.get(id as Link)?.push({ index: revision, at: expiryOf(after?.row as DeviceLinkRow | undefined) })
        if (text === undefined) rows.delete(id)
        else rows.set(id, text)
      }
    })
    const { dependencies } = this.world
    const listen = dependencies.listen.bind(dependencies)
    const unlisten = dependencies.unlisten.bind(dependencies)
    const listening = new Set<object>()
    Object.assign(dependencies, {
      listen: (tags, listener) => {
        listen(tags, listener)
        listening.add(listener)
        this.listening = listening.size
      },
      unlisten: (tags, listener) => {
        unlisten(tags, listener)
        listening.delete(listener)
        this.listening = listening.size
      },
    } satisfies Pick<Dependencies, 'listen' | 'unlisten'>)
  }

  current = (link: Link) => this.changes.get(link)?.at(-1)?.index ?? 0

  /** Tells whether answers of the link have changed since that index. */
  hasChanged(link: Link, since: number): boolean {
    const later = this.changes.get(link)?.filter(({ index }) => index >= since) ?? []
    return new Set(later.map(({ cloudToken }) => cloudToken)).size > 1
  }

  /** Tells whether the link was deleted or expired between an index and a time. */
  hasEnded(link: Link, { current, answeredAt }: { current: number; answeredAt: number }): boolean {
    return this.expiries.get(link)?.some(({ index, at }) => index >= current && at <= answeredAt) ?? false
  }

  get blocked(): Poll[] {
    return this.polls.filter(poll => poll.got === undefined)
  }

  poll(link: Link, index: string | undefined): void {
    const query = `device_link_token=${link}${index === undefined ? '' : `&watch_index=${index}`}`
    const client = new AbortController()
    const poll: Poll = { link, after: index, current: this.current(link), since: this.elapsed, client }
    this.polls.push(poll)
    void ask(this.mock, { method: 'GET', path: '/cloud/devices/links', query }, client.signal).then(got => {
      poll.got = got
      this.answers.push({ ...poll, got, answeredAt: this.world.clock.now() })
    })
  }

  /** Checks an answer. */
  check({ link, after, current, since, client, got, answeredAt }: Required<Omit<Poll, 'until'>>): void {
    expect([200, 400, client.signal.aborted ? 499 : 200]).toContain(got.status)
    // A reset puts the clock back before the answer is seen.
    if (got.status === 400 && !this.beginsAnew) expect(this.hasEnded(link, { current, answeredAt })).toBe(true)
    if (got.status !== 200) return
    const { cloud_token, watch } = json(got) as { cloud_token?: string; watch: { index: string } }
    const index = Number(watch.index)
    expect(this.changes.get(link), 'what was true at its index').toContainEqual({ index, cloudToken: cloud_token })
    expect(index, 'no index goes back').toBeGreaterThanOrEqual(current)
    if (String(current) !== after || this.hasChanged(link, current)) return
    const isEnded = this.closed || this.beginsAnew
    expect(isEnded || this.elapsed >= since + timeoutMs, 'woken with the answer that it had').toBe(true)
  }

  /** Checks the state when nothing is pending. */
  quiet(): void {
    for (const answer of this.answers.splice(0)) this.check(answer)
    for (const poll of this.blocked) {
      const { link, after, current, client } = poll
      poll.until ??= this.elapsed
      expect(after, 'it should not have blocked').toBe(String(current))
      expect(this.hasChanged(link, current), 'a change was missed').toBe(false)
      expect(poll.until + timeoutMs, 'a deadline was missed').toBeGreaterThan(this.elapsed)
      expect([client.signal.aborted, this.closed]).toEqual([false, false])
      const row = this.world.deviceLinks.get(link)
      expect(row, 'a deletion was missed').toBeDefined()
      expect(row?.expires_at ?? Number.POSITIVE_INFINITY, 'an expiry was missed').toBeGreaterThan(
        this.world.clock.now(),
      )
    }
    // Requests for the same link share one read, which waits until the link expires.
    const watched = [...new Set(this.blocked.map(({ link }) => link))]
    const expiring = watched.filter(link => this.world.deviceLinks.get(link)?.expires_at !== undefined)
    expect([this.world.waiters, this.listening]).toEqual([this.blocked.length, watched.length])
    expect(this.world.clock.pending).toBe(this.blocked.length + expiring.length)
  }
}

function expiryOf(link: DeviceLinkRow | undefined): number {
  return link ? (link.expires_at ?? Number.POSITIVE_INFINITY) : Number.NEGATIVE_INFINITY
}

function run(model: Model, action: Action): Promise<unknown> | undefined {
  const { mock, world } = model
  switch (action.kind) {
    case 'poll': {
      const current = model.current(action.link)
      const asked = { none: undefined, current: `${current}`, stale: `${current - 1}`, newer: `${current + 1}` }
      return void model.poll(action.link, asked[action.index])
    }
    case 'advance':
      return world.clock.advance(action.ms)
    case 'abort':
      return void model.blocked[action.nth]?.client.abort()
    case 'reset':
      return mock.reset()
    case 'prepare':
      return ask(mock, { method: 'POST', path: '/cloud/devices/links' })
    case 'unrelated write':
      return mock.world.lobbies.create({})
    default:
      return write(mock, action)
  }
}

const put = (mock: Mockmaker, token: Link, change: object) =>
  mock.world.deviceLinks.update(q => q.where({ device_link_token: token }), {
    data: row => void Object.assign(row, change),
  })

function write(mock: Mockmaker, { kind, link }: { kind: string; link: Link }): Promise<unknown> {
  const completes = () =>
    ask(mock, { ...completion, body: JSON.stringify({ device_link_token: link, game_id: ids.tanks }) })
  const extendExpiry = () => put(mock, link, { expires_at: mock.world.clock.now() + 3_000 })
  if (kind === 'complete') return completes()
  if (kind === 'put off') return extendExpiry()
  if (kind === 'touch in vain') return put(mock, link, {})
  if (kind === 'delete')
    return Promise.resolve(mock.world.deviceLinks.delete(q => q.where({ device_link_token: link })))
  if (kind === 'complete and put off') return Promise.all([completes(), extendExpiry()])
  return mock.world.deviceLinks.create({ device_link_token: link }).catch(() => {})
}

describe('watches with any order of polls, writes, deadlines, aborts, resets and a close', () => {
  it.prop([batches, fc.boolean()], { numRuns: inject('runs') })(
    'miss no change of their answers, wake for no other, never repeat an index, and leave nothing behind',
    async (batches, ends) => {
      const model = new Model()

      for (const batch of batches) {
        const waiting = [...model.blocked]
        model.beginsAnew = batch.some(({ kind }) => kind === 'reset')
        const begun = batch.map(action => run(model, action))
        await Promise.all(begun)
        // A reset ends a pending advance.
        model.elapsed = model.world.clock.elapsed()
        await flushPromises()
        model.quiet()
        if (model.beginsAnew) expect(waiting.filter(poll => model.blocked.includes(poll))).toEqual([])
      }
      if (ends) {
        model.closed = true
        await model.mock.close()
        for (const link of links) model.poll(link, `${model.current(link)}`)
      } else for (const { client } of model.blocked) client.abort()
      await flushPromises()

      expect([model.blocked, model.world.waiters, model.listening]).toEqual([[], 0, 0])
      model.quiet()
    },
  )
})
