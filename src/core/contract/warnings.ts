import type * as types from '../generated/rows.js'

export type WarningRule = types.WarningRule

/** The rules of warnings, by the names with which a scenario turns them off. */
export const warningRules = [
  'hot loop',
  'watch without index',
  'no pause after failure',
  'never connected',
  'seats unused',
  'never ready',
  'dead port',
  'wrong port',
  'seats without ports',
  'no such call',
  'canned answers',
  'crowd from one address',
  'server ended dirty',
  'buffered output',
] as const satisfies readonly WarningRule[]
