import { behaviours } from './behaviour/behaviours.js'
import type { OperationId, OperationInput, OperationOutput } from './contract/operations.js'
import { changesOf } from './control/changes.js'
import { completeDeviceLink, expireDeviceLink } from './control/device-link.js'
import { explain } from './control/explain.js'
import type { Steering } from './control/steering.js'
import type { ScenarioInput } from './scenario/schema.js'
import { type Answerer, createAnswerer } from './server/answer.js'
import { type CarryOut, createBehave } from './server/behave.js'
import type { Answer, Exchange, Page } from './server/exchange.js'
import { createFinisher } from './server/finish.js'
import { History } from './server/history.js'
import { Journal } from './server/journal.js'
import type { ExchangeLog } from './server/log.js'
import { defaultWorldId } from './server/worlds.js'
import { completeLinksInTime } from './simulation/device-link.js'
import { Random } from './store/random.js'
import { type Standing, tablesOf } from './store/standing.js'
import { type TokenInfo, tokensOf } from './store/token-info.js'
import type { TurnContext } from './store/turn-queue.js'
import { createWorld, type World } from './store/world.js'

/** What an override of an operation gets: the checked request, the world, and the answer that it would have had. */
export interface OverrideCall<Id extends OperationId> {
  readonly input: OperationInput<Id>
  readonly world: World
  original(): Promise<OperationOutput<Id>>
}

/** Answers an operation in the place of its behaviour, or throws `ApiError`. */
export type OverrideResolver<Id extends OperationId> = (
  call: OverrideCall<Id>,
) => OperationOutput<Id> | Promise<OperationOutput<Id>>

/** One world, what steers it, and what answers for it. */
export interface WorldMock extends Steering {
  readonly answer: Answerer
  /** For doors: answers what they refuse themselves, an `ApiError` as itself, anything else as a bug. */
  refuse(exchange: Exchange, error: unknown): Answer
  /** For doors: answers with a page of their own. */
  present(exchange: Exchange, page: Page): Answer
  /** The service with one operation answered by a resolver. */
  overridden<Id extends OperationId>(id: Id, resolver: OverrideResolver<Id>): Answerer
  /** Whether somebody waits in it. */
  readonly busy: boolean
  /** Answers every waiter as its deadline would. From now on nothing blocks. */
  close(): Promise<void>
}

/** The mock of a world as those see it who keep worlds. */
export interface OwnedMock extends WorldMock {
  /** Where it stands, for a world that begins there. */
  readonly standing: Standing
  /** Begins anew from where another world stands, in one turn. */
  become(standing: Standing): Promise<void>
}

/** What the worlds of a server have in common. */
export interface WorldMockSettings {
  readonly turnContext: (() => TurnContext) | undefined
  readonly watchTimeoutMs: number
  readonly corsOrigins: readonly string[]
  readonly log: ExchangeLog
  /** How many exchanges the journal of a world keeps. */
  readonly journalSize: number
  /** Where the world of that id stands when a scenario begins. Throws `UsageError`. */
  standingOf(scenario: string | ScenarioInput, worldId: string): Standing
}

/** The most requests that may be blocked in a world (PROTOCOL.md B7). */
const maxWaiters = 50_000

/** The mock of a world that stands there. */
export function createWorldMock(id: string, standing: Standing, settings: WorldMockSettings): OwnedMock {
  const { watchTimeoutMs, corsOrigins, log, journalSize } = settings
  const world = createWorld(standing, settings.turnContext?.())
  const history = new History(journalSize)
  const stopKeeping = world.subscribe(changeSet => history.addChange(changeSet))
  const stopCompleting = completeLinksInTime(world)
  const rays = new Random(world.seed, id === defaultWorldId ? 'rays' : `rays:${id}`)
  const run = Date.now().toString(36)
  let closed = false
  let tokens: { readonly of: Standing; readonly all: readonly TokenInfo[] } | undefined
  const carryOut = createBehave({
    world,
    behaviours,
    watchTimeoutMs: () => (closed ? 0 : watchTimeoutMs),
    maxWaiters,
  })
  const finisher = createFinisher({ worldId: id, world, corsOrigins, log, history, rayId: () => rays.uuid(), onBug })
  return {
    id,
    world,
    get tokens() {
      if (tokens?.of !== world.begun) tokens = { of: world.begun, all: tokensOf(tablesOf(world.begun)) }
      return tokens.all
    },
    answer: createAnswerer({ world, finisher, carryOut }),
    refuse: (exchange, error) => finisher.refuse(finisher.begin(exchange), error),
    present: (exchange, page) => finisher.present(finisher.begin(exchange), page),
    overridden: (id, resolver) =>
      createAnswerer({ world, finisher, carryOut: override(id, resolver, { world, carryOut }) }),
    journal: new Journal(history),
    explain: question => explain({ view: world.view, corsOrigins }, question),
    changes: options => changesOf({ world, history, run }, options),
    async reset({ keep = [] } = {}) {
      await world.reset({ keep: keep.filter(part => part === 'clock') })
      if (!keep.includes('journal')) history.clearExchanges()
    },
    completeDeviceLink: (token, options) => completeDeviceLink(world, { ...options, token }),
    expireDeviceLink: token => expireDeviceLink(world, token),
    load: scenario => world.become(settings.standingOf(scenario, id)),
    get standing() {
      return world.standing
    },
    become: standing => world.become(standing),
    get busy() {
      return world.waiters + history.listeners > 0
    },
    async close() {
      closed = true
      stopCompleting()
      stopKeeping()
      history.end()
      for (const waiter of world.waiting) waiter.end()
    },
  }
}

function override<Id extends OperationId>(
  id: Id,
  resolver: OverrideResolver<Id>,
  { world, carryOut }: { readonly world: World; readonly carryOut: CarryOut },
): CarryOut {
  return async call => {
    if (call.id !== id) return carryOut(call)
    // The call was parsed for this operation, so that its input and its output are this operation's.
    const input = call.input as OperationInput<Id>
    // A copy, because an override may change it, and what behaviours output is made of frozen records and constants.
    const original = async () => structuredClone(await carryOut(call)) as OperationOutput<Id>
    return resolver({ input, world, original })
  }
}

/** A bug in the mock, or in an override. The console is where the person who runs it looks. */
function onBug(error: unknown, rayId: string): void {
  // biome-ignore lint/suspicious/noConsole: the one place where a bug is told
  console.error(`mockmaker: unforeseen, answered with 500 ERROR, ray id ${rayId}\n`, error)
}
