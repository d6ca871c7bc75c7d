import { UsageError } from '../lib/usage-error.js'
import type { MockWorld } from './mock-world.js'
import { tableNames } from '../store/models.js'

/** The reason for a world whose test has ended. */
export const testHasEnded = 'this mock belongs to a test that has ended: use the mock of the present test'

/** The members with which the mock itself answers the requests in progress. They stay usable. */
const internalNames = new Set(['constructor', 'id', 'handle', 'refuse', 'respond', 'close', 'isBusy', 'endedBecause'])

/**
 * Ends a world that is closed. Each later use of the mock throws `UsageError` with the reason. So do tables, transactions, moves
 * of the clock, faults and journals that a test kept. Requests in progress still get their answers.
 */
export function endWorld(
  mock: Pick<MockWorld, 'world' | 'clock' | 'faults' | 'journal' | 'endedBecause'>,
  reason: string,
): void {
  const { world, clock, faults, journal } = mock
  const publicNames = [...namesOf(mock), ...namesOf(Object.getPrototypeOf(mock))].filter(
    name => !internalNames.has(name),
  )
  refuseUse(mock, publicNames, reason)
  refuseUse(world, [...tableNames, 'transaction', 'subscribe'], reason)
  refuseUse(clock, ['advance', 'set'], reason)
  refuseUse(faults, ['list', 'unused', 'add', 'remove', 'clear', 'release'], reason)
  refuseUse(journal, namesOf(Object.getPrototypeOf(journal)), reason)
  mock.endedBecause = reason
}

function namesOf(object: object): string[] {
  return Object.getOwnPropertyNames(object).filter(name => name !== 'constructor')
}

/** Why an object can no longer be used. */
const reasons = new WeakMap<object, string>()

/** Makes properties throw. They move to the prototype: a console reads all own properties of an object that it prints. */
function refuseUse(object: object, names: readonly string[], reason: string): void {
  for (const name of names) Reflect.deleteProperty(object, name)
  reasons.set(object, reason)
  Object.setPrototypeOf(object, refusingPrototype(Object.getPrototypeOf(object), names))
}

/** The prototypes of ended objects, by those that they had before. They are shared, because each test ends a world. */
const refusing = new WeakMap<object, Map<string, object>>()

function refusingPrototype(prototype: object, names: readonly string[]): object {
  const created = refusing.get(prototype) ?? new Map<string, object>()
  refusing.set(prototype, created)
  const key = names.join()
  const known = created.get(key)
  if (known) return known
  const refused = Object.create(prototype, Object.fromEntries(names.map(name => [name, refusal])))
  created.set(key, refused)
  return refused
}

const refusal = {
  get(this: object) {
    throw new UsageError(reasons.get(this))
  },
}
