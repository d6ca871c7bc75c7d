// @ts-check
import { figure } from './table.js'

/**
 * What was measured, and against what.
 *
 * @typedef {object} Measured
 * @property {number | undefined} value Where nothing could be measured, the aim is missed.
 * @property {string} [unit] Default: `×`, times the yardstick's.
 * @property {string} [beside] What to know besides.
 */

/**
 * @param {string} what
 * @param {Measured & { readonly least: number }} measured
 * @returns {import('./table.js').Aim}
 */
export function atLeast(what, { least, ...measured }) {
  return verdict(`${what} ≥ ${withUnit(least, measured)}`, { ...measured, isMet: value => value >= least })
}

/**
 * @param {string} what
 * @param {Measured & { readonly most: number }} measured
 * @returns {import('./table.js').Aim}
 */
export function atMost(what, { most, ...measured }) {
  return verdict(`${what} ≤ ${withUnit(most, measured)}`, { ...measured, isMet: value => value <= most })
}

/**
 * One figure to another; `undefined` where one of them is.
 *
 * @param {number | undefined} value
 * @param {number | undefined} to
 */
export function ratio(value, to) {
  return value === undefined || to === undefined ? undefined : value / to
}

/**
 * @param {string} aim
 * @param {Measured & { isMet(value: number): boolean }} measured
 */
function verdict(aim, { value = Number.NaN, isMet, beside, unit }) {
  const text = withUnit(figure(value), { unit })
  return { aim, met: isMet(value), measured: beside === undefined ? text : `${text} (${beside})` }
}

/**
 * @param {number | string} value
 * @param {{ readonly unit?: string | undefined }} measured
 */
function withUnit(value, { unit = '×' }) {
  return `${value} ${unit}`
}
