// @ts-check

/**
 * What a group has measured: its rows for people and for `--json`, and whether its aims are met.
 *
 * @typedef {object} Table
 * @property {string} title What was measured, and how.
 * @property {readonly Row[]} rows Each has the columns of the first.
 * @property {readonly Aim[]} aims
 *
 * @typedef {Readonly<Record<string, string | number | undefined>>} Row Column → figure.
 * @typedef {{ readonly aim: string, readonly met: boolean, readonly measured: string }} Aim
 */

/**
 * A table as text: names at the left, figures at the right.
 *
 * @param {Table} table
 * @returns {string}
 */
export function tableText({ title, rows, aims }) {
  const columns = Object.keys(rows[0] ?? {})
  const lines = [columns, ...rows.map(row => columns.map(column => cell(row[column])))]
  const widths = columns.map((_, i) => Math.max(...lines.map(line => line[i]?.length ?? 0)))
  const texts = lines.map(line =>
    line.map((text, i) => (i === 0 ? text.padEnd(widths[i] ?? 0) : text.padStart(widths[i] ?? 0))).join('  '),
  )
  const verdicts = aims.map(({ aim, met, measured }) => `${met ? 'met   ' : 'MISSED'}  ${aim}: ${measured}`)
  return [title, '', ...texts, '', ...verdicts].join('\n')
}

/** @param {string | number | undefined} value */
function cell(value) {
  if (value === undefined) return '–'
  return typeof value === 'string' ? value : figure(value)
}

/**
 * A number to three digits, with commas between the thousands.
 *
 * @param {number} number
 */
export function figure(number) {
  const digits = Math.abs(number) >= 100 ? 0 : Math.abs(number) >= 10 ? 1 : 2
  return number.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}
