const mostFrames = 50

const frame = /^\s*at (?:.*\()?(?:async )?(.*?)\)?$/

/**
 * Lets the stack of an error begin at the code that called this package. Frames of the package, of Node and of built-in
 * functions go away before that place, and stay behind it. Call it where the error is made: later the stack has lost the caller.
 * The text of the stack is made when somebody reads it. Does nothing in runtimes without the stacks of V8.
 */
export function beginAtCaller<Thrown extends Error>(error: Thrown): Thrown {
  return rememberCaller()(error)
}

/** Returns a function that lets the stack of a later error begin at the present caller. */
export function rememberCaller(): <Thrown extends Error>(error: Thrown) => Thrown {
  const { stackTraceLimit } = Error
  // A limit of 0 turns stacks off.
  if (!hasV8Stacks || !stackTraceLimit) return error => error
  const present: { readonly stack?: unknown } = {}
  Error.stackTraceLimit = Math.max(stackTraceLimit, mostFrames)
  Error.captureStackTrace(present)
  Error.stackTraceLimit = stackTraceLimit
  return error => {
    // V8 would make a text of the old stack before it replaces it.
    Reflect.deleteProperty(error, 'stack')
    // Does nothing if the error is frozen.
    const set = (value: unknown) =>
      void Reflect.defineProperty(error, 'stack', { value, configurable: true, writable: true })
    const get = () => {
      const { stack } = present
      // A library may have replaced the format of stacks.
      const value = typeof stack === 'string' ? `${error}\n${callerFrames(stack, stackTraceLimit)}` : stack
      set(value)
      return value
    }
    return Object.defineProperty(error, 'stack', { get, set, configurable: true })
  }
}

/** True if stacks have the form of V8: first the error, then a line for each frame. */
const hasV8Stacks = Error.captureStackTrace !== undefined && /^Error: probe/.test(String(new Error('probe').stack))

/** Returns the frames from the caller on. If none is a caller's, returns those after our functions for stacks. */
function callerFrames(stack: string, limit: number): string {
  const [, own = '', ...others] = stack.split('\n')
  const folder = folderOf(placeIn(own))
  const first = others.findIndex(line => !isHidden(placeIn(line), folder))
  const afterOurs = others.findIndex(line => !line.includes('beginAtCaller'))
  const start = first === -1 ? Math.max(afterOurs, 0) : first
  return others.slice(start, start + limit).join('\n')
}

/** Runs a function whose errors have no stacks. For a library that makes errors which nobody sees. */
export function withoutStacks<Value>(run: () => Value): Value {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return run()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

function placeIn(line: string): string {
  return frame.exec(line)?.[1] ?? ''
}

/** Returns the folder of this package's code, or its file if a bundler has put it elsewhere. */
function folderOf(place: string): string {
  return /^.*[\\/](?:dist|src)[\\/]/.exec(place)?.[0] ?? place.replace(/:\d+:\d+$/, '')
}

function isHidden(place: string, folder: string): boolean {
  return place.startsWith(folder) || place.startsWith('node:') || /^(?:<anonymous>|native|index \d+)$/.test(place)
}
