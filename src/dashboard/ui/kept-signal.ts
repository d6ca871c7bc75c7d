import { effect, type Signal, signal } from '@preact/signals'

/** Creates a signal whose value the browser keeps, if it allows that. */
export function keptSignal<Value extends string>(key: string, initial: Value): Signal<Value> {
  const kept: Signal<Value> = signal(initial)
  try {
    kept.value = (localStorage.getItem(key) as Value | null) ?? initial // only this module writes it
    effect(() => localStorage.setItem(key, kept.value))
  } catch {
    // The next page begins with the initial value.
  }
  return kept
}
