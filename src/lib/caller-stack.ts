/** The most frames that are read, because ours come before those of the caller. */
const mostFrames = 50

/** The place in a frame: `at name (file:///a/b.js:1:2)`, `at async /a/b.js:1:2`. */
const frame = /^\s*at (?:.*\()?(?:async )?(.*?)\)?$/

/**
 * Lets the stack of an error begin at the code that called this package. Frames of the package, of Node and of built-in
 * functions go away before that place, and stay behind it. Call it where the error is made: later the stack has lost the caller.
 * Does nothing in runtimes without the stacks of V8.
 */
export function beginAtCaller<Thrown extends Error>(error: Thrown): Thrown {
  const frames = callerFrames()
  if (frames !== undefined) replaceFrames(error, frames)
  return error
}

/** Returns a function that lets the stack of a later error begin at the present caller. */
export function rememberCaller(): <Thrown extends Error>(error: Thrown) => Thrown {
  const frames = callerFrames()
  return error => {
    if (frames !== undefined) replaceFrames(error, frames)
    return error
  }
}

function replaceFrames(error: Error, frames: string): void {
  Object.defineProperty(error, 'stack', { value: `${error}\n${frames}`, configurable: true, writable: true })
}

/** Returns the frames from the caller on. `undefined` if none is a caller's, or the runtime has other stacks. */
function callerFrames(): string | undefined {
  const { stackTraceLimit } = Error
  // A limit of 0 turns stacks off.
  if (!Error.captureStackTrace || !stackTraceLimit) return undefined
  const holder = { stack: '' as unknown }
  Error.stackTraceLimit = Math.max(stackTraceLimit, mostFrames)
  Error.captureStackTrace(holder)
  Error.stackTraceLimit = stackTraceLimit
  // A library may have replaced the format of stacks.
  if (typeof holder.stack !== 'string') return undefined
  const [, own = '', ...others] = holder.stack.split('\n')
  const folder = folderOf(placeIn(own))
  const first = others.findIndex(line => !isHidden(placeIn(line), folder))
  return first === -1 ? undefined : others.slice(first, first + stackTraceLimit).join('\n')
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
