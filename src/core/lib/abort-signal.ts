import { quoted, UsageError } from './messages.js'

/** Tells whether a value is an AbortSignal. Checks the method, not the class: jsdom has an AbortSignal of its own. */
export function isSignal(value: unknown): boolean {
  return typeof (value as AbortSignal | null | undefined)?.throwIfAborted === 'function'
}

/** Returns the signal of the options of a call. Throws `UsageError` if it is no signal, or the options are no object. */
export function signalOf(
  call: string,
  options: { readonly signal?: AbortSignal | undefined } = {},
): AbortSignal | undefined {
  if (typeof options !== 'object' || options === null)
    throw new UsageError(`${call}: the options are ${quoted(options)}: expected an object such as { signal }`)
  const { signal } = options
  if (signal !== undefined && !isSignal(signal))
    throw new UsageError(`${call}: the signal is ${quoted(signal)}: expected an AbortSignal`)
  return signal
}
