/** Each time that the mock reads is that many ms later. So a slice of 20 ms has at most 20 steps, or fewer. */
export function steppedClock(stepMs = 1): () => number {
  let ms = 0
  return () => {
    ms += stepMs
    return ms
  }
}

/** Runs at each turn of the event loop until a promise settles. Returns its value, and the number of turns. */
export async function eachTurn<Value>(settles: Promise<Value> | Value, run: () => unknown = () => {}) {
  let turns = 0
  let isDone = false
  const done = Promise.resolve(settles).finally(() => {
    isDone = true
  })
  while (!isDone) {
    await new Promise(resolve => setImmediate(resolve))
    turns += 1
    if (!isDone) await run()
  }
  return { value: await done, turns }
}
