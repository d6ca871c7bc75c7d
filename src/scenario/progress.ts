/** Is told how far a long work is: how many are done, of how many in all. */
export type Progress = (done: number, total: number) => void

/** How many rows there are between two times that a progress is told. */
const step = 500

interface Telling {
  readonly total: number
  readonly progress: Progress | undefined
}

/** The same rows; the progress is told of them as they are taken, and at the last. */
export function* tellingProgress<Row>(rows: Iterable<Row>, { total, progress }: Telling): Iterable<Row> {
  let done = 0
  for (const row of rows) {
    yield row
    done += 1
    if (done % step === 0 || done === total) progress?.(done, total)
  }
}
