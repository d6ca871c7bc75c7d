import type { WarningRule } from '../../contract/warnings.js'
import { hotLoop } from './request-rules.js'
import { bufferedOutput, deadPort, endedDirty, wrongPort } from './server-rules.js'
import type { Rule, WarningFacts } from './warning.js'

/** The one table of rules. `sentence` and `advice` are those of `lab`, `check-server` and stories, too. */
export const rules: { readonly [Name in keyof WarningFacts]: Rule<WarningFacts[Name]> } = {
  'hot loop': hotLoop,
  'dead port': deadPort,
  'wrong port': wrongPort,
  'server ended dirty': endedDirty,
  'buffered output': bufferedOutput,
}

/** The rules with their names. */
export const ruleEntries = Object.entries(rules) as unknown as [WarningRule, Rule][] // each gets the facts that it reports
