import type { Fault, FaultDelay } from '../contract/faults.js'
import { isJsonObject } from '../lib/json.js'
import { formatDuration, readDuration } from '../lib/time.js'

// Without schemas, because the client uses it too.

type InCode<Value> = Value extends string ? string | number : { [Key in keyof Value]: string | number }

/** A delay as code gives it: text or ms, `{ min, max }` or `{ median, p95 }`. */
export type FaultDelayInput = InCode<FaultDelay>

/** A fault as code gives it: durations may be numbers of ms. `after` may not: there a number counts requests. */
export interface FaultInput extends Omit<Fault, 'effect' | 'for'> {
  readonly effect: Omit<Fault['effect'], 'delay' | 'spurious' | 'date'> & {
    readonly delay?: FaultDelayInput | undefined
    readonly spurious?: string | number | undefined
    readonly date?: string | number | undefined
  }
  readonly for?: string | number | undefined
}

/** Writes the durations of a fault as text. Leaves invalid ones to the schema. */
export function withTextDurations(fault: FaultInput): Fault {
  if (!isJsonObject(fault)) return fault as Fault // the schema refuses it
  const effect = fault.effect
  const all = { ...fault, ...textIn(fault, 'for') }
  if (!isJsonObject(effect)) return all as Fault
  const delay: unknown = effect.delay
  const inner = isJsonObject(delay) ? { delay: { ...delay, ...textIn(delay, 'min', 'max', 'median', 'p95') } } : {}
  return { ...all, effect: { ...effect, ...textIn(effect, 'delay', 'spurious', 'date'), ...inner } } as Fault // checked later
}

function textIn(values: object, ...keys: string[]): Readonly<Record<string, string>> {
  const texts: Record<string, string> = {}
  for (const key of keys) {
    const value: unknown = values[key as never] // a key of this object, or none
    if (typeof value !== 'number') continue
    const [sign, length] = key !== 'date' ? ['', value] : value < 0 ? ['-', -value] : ['+', value]
    const ms = readDuration(length)
    if (ms !== undefined) texts[key] = sign + formatDuration(ms)
  }
  return texts
}
