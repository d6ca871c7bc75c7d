/**
 * Work in short steps. It stops at each `yield`, and there the event loop may do other work. A step takes at most a few
 * milliseconds.
 */
export type Steps<Result> = Generator<undefined, Result, undefined>

/** Does the work without a stop. */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Maps items, one in each step. */
export function* mapInSteps<Item, Result>(items: Iterable<Item>, map: (item: Item) => Result): Steps<Result[]> {
  const results: Result[] = []
  for (const item of items) {
    results.push(map(item))
    yield
  }
  return results
}

/** The number of items in one step of a loop. A step for each item would cost more than its work, which takes microseconds. */
export const itemsPerStep = 64

/** Calls a function for each item. */
export function* forEachInSteps<Item>(items: Iterable<Item>, run: (item: Item, i: number) => void): Steps<void> {
  let i = 0
  for (const item of items) {
    run(item, i)
    i += 1
    if (i % itemsPerStep === 0) yield
  }
}

/** Maps each item to a list, and joins the lists. */
export function* flatMapInSteps<Item, Result>(
  items: Iterable<Item>,
  map: (item: Item, i: number) => readonly Result[],
): Steps<Result[]> {
  const results: Result[] = []
  yield* forEachInSteps(items, (item, i) => {
    for (const result of map(item, i)) results.push(result)
  })
  return results
}

/** The number of items that one step sorts. It takes some milliseconds. */
const sortedPerStep = 8192

/** Sorts items as `toSorted` does: equal ones keep their order. */
export function* sortInSteps<Item>(items: readonly Item[], compare: (a: Item, b: Item) => number): Steps<Item[]> {
  if (items.length <= sortedPerStep) return items.toSorted(compare)
  const runs: Item[][] = []
  for (let i = 0; i < items.length; i += sortedPerStep) {
    runs.push(items.slice(i, i + sortedPerStep).sort(compare))
    yield
  }
  // Engines find the sorted runs, and only merge them.
  return runs.flat().sort(compare)
}
