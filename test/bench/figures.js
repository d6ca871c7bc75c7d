// @ts-check

/**
 * The figures of one bench, and its aim.
 *
 * @typedef {object} Table
 * @property {string} title What was measured, and how.
 * @property {readonly Row[]} rows Each has the columns of the first.
 * @property {Aim} aim
 *
 * @typedef {Readonly<Record<string, string | number | undefined>>} Row
 * @typedef {{ readonly aim: string, readonly isMet: boolean, readonly measured: number }} Aim
 */

/**
 * A figure and its limit. A figure that could not be measured misses it.
 *
 * @param {string} what
 * @param {{ readonly most: number, readonly value: number | undefined, readonly unit: string }} limit
 * @returns {Aim}
 */
export function atMost(what, { most, value = Number.NaN, unit }) {
  return { aim: `${what} ≤ ${most} ${unit}`, isMet: value <= most, measured: value }
}

/**
 * @param {number | undefined} value
 * @param {number | undefined} to
 */
export function ratio(value, to) {
  return value === undefined || to === undefined ? undefined : value / to
}

/**
 * Runs each subject once a round, in turn (A B A B): a machine that slows down slows down all of them. Returns the median
 * of each figure.
 *
 * @template Subject
 * @param {readonly Subject[]} subjects
 * @param {{ readonly rounds: number, run(subject: Subject): Promise<Readonly<Record<string, number>>> }} options
 */
export async function measureInTurn(subjects, { rounds, run }) {
  /** @type {Readonly<Record<string, number>>[][]} */
  const runs = subjects.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const [i, subject] of subjects.entries()) runs[i]?.push(await run(subject))
  }
  return runs.map(figures =>
    Object.fromEntries(
      Object.keys(figures[0] ?? {}).map(name => [name, median(figures.map(each => each[name] ?? Number.NaN))]),
    ),
  )
}

/** @param {readonly number[]} numbers An odd count. */
export function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN
}

/** This process's processor time so far, in ms. */
export function cpuMs() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/**
 * A table as text: names at the left, figures at the right.
 *
 * @param {Table} table
 */
export function tableText({ title, rows, aim: { aim, isMet, measured } }) {
  const columns = Object.keys(rows[0] ?? {})
  const lines = [columns, ...rows.map(row => columns.map(column => cell(row[column])))]
  const widths = columns.map((_, i) => Math.max(...lines.map(line => line[i]?.length ?? 0)))
  const texts = lines.map(line =>
    line.map((text, i) => (i === 0 ? text.padEnd(widths[i] ?? 0) : text.padStart(widths[i] ?? 0))).join('  '),
  )
  return [title, '', ...texts, '', `${isMet ? 'met' : 'MISSED'}: ${aim}: ${figure(measured)}`].join('\n')
}

/** @param {string | number | undefined} value */
function cell(value = '–') {
  return typeof value === 'string' ? value : figure(value)
}

/**
 * A number to three digits, with commas between the thousands.
 *
 * @param {number} number
 */
function figure(number) {
  const digits = Math.abs(number) >= 100 ? 0 : Math.abs(number) >= 10 ? 1 : 2
  return number.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}
