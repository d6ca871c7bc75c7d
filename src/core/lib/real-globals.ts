// The globals as they were when the package was loaded, because tests replace them: frozen, stubbed, or without parts. Only the
// clock of a world follows those that a test has replaced: see `store/real-time.ts` and `store/timers.ts`.

/** The global timer function at load. */
export const loadedSetTimeout = globalThis.setTimeout

/** Timers and times that pass by themselves, also if a test fakes the global ones. */
export const real = {
  setTimeout: globalThis.setTimeout.bind(globalThis),
  clearTimeout: globalThis.clearTimeout.bind(globalThis),
  setInterval: globalThis.setInterval.bind(globalThis),
  clearInterval: globalThis.clearInterval.bind(globalThis),
  queueMicrotask: globalThis.queueMicrotask.bind(globalThis),
  randomUUID: globalThis.crypto?.randomUUID?.bind(globalThis.crypto),
  /** The time in ms that never goes back. */
  now: performance.now.bind(performance),
  /** The time of the system in ms since the epoch. */
  date: Date.now.bind(Date),
}

/** Lets the process end while a timer waits. In pages, timers are numbers and need nothing. */
export function unref<Timer>(timer: Timer): Timer {
  ;(timer as { unref?(): unknown } | undefined)?.unref?.()
  return timer
}

const { Date: LoadedDate } = globalThis

/** Creates a date of ms since the epoch. */
export function dateOf(ms: number): Date {
  return new LoadedDate(ms)
}

/** Reads a date. Returns ms since the epoch, or `NaN`. */
export const parseDate = LoadedDate.parse.bind(LoadedDate)

export const {
  AbortController,
  AbortSignal,
  Headers,
  MessageChannel,
  ReadableStream,
  Request,
  Response,
  TextDecoder,
  TextDecoderStream,
  TextEncoder,
  TextEncoderStream,
  TransformStream,
  URL,
  URLSearchParams,
  btoa,
  fetch,
} = globalThis
