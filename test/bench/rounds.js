// @ts-check

/**
 * Runs each subject once a round, in turn (A B A B), so that a machine that slows down slows down all of them.
 * Answers what the runs of each subject answered, in their order.
 *
 * @template Subject, Result
 * @param {readonly Subject[]} subjects
 * @param {{ readonly rounds: number, run(subject: Subject): Promise<Result> }} options
 * @returns {Promise<Map<Subject, Result[]>>}
 */
export async function alternate(subjects, { rounds, run }) {
  /** @type {Map<Subject, Result[]>} */
  const results = new Map(subjects.map(subject => [subject, []]))
  for (let round = 0; round < rounds; round++) {
    for (const [subject, runs] of results) runs.push(await run(subject))
  }
  return results
}

/**
 * The median of each figure of some runs; a figure that a run does not have is left out.
 *
 * @template {object} Figures
 * @param {readonly Figures[]} runs At least one.
 * @returns {Figures}
 */
export function medians(runs) {
  const [first] = runs
  const names = /** @type {(keyof Figures)[]} */ (Object.keys(first ?? {}))
  const figures = names.map(name => [name, median(runs.map(run => Number(run[name] ?? Number.NaN)))])
  return Object.fromEntries(figures.filter(([, figure]) => !Number.isNaN(figure)))
}

/**
 * The middle one of some numbers; of an even count the mean of the two in the middle.
 *
 * @param {readonly number[]} numbers
 */
export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted.slice((sorted.length - 1) >> 1, (sorted.length >> 1) + 1)
  return middle.reduce((sum, number) => sum + number, 0) / middle.length
}
