import type { WarningRule } from '../../contract/warnings.js'
import {
  cannedAnswers,
  crowdFromOneAddress,
  hotLoop,
  noPauseAfterFailure,
  noSuchCall,
  watchWithoutIndex,
} from './request-rules.js'
import { neverConnected, neverReady, seatsUnused, seatsWithoutPorts } from './seat-rules.js'
import { bufferedOutput, deadPort, endedDirty, wrongPort } from './server-rules.js'
import type { Rule, WarningFacts } from './warning.js'

/** The one table of rules. `sentence` and `advice` are those of `lab`, `check-server` and stories, too. */
export const rules: { readonly [Name in keyof WarningFacts]: Rule<WarningFacts[Name]> } = {
  'hot loop': hotLoop,
  'watch without index': watchWithoutIndex,
  'no pause after failure': noPauseAfterFailure,
  'never connected': neverConnected,
  'seats unused': seatsUnused,
  'never ready': neverReady,
  'dead port': deadPort,
  'wrong port': wrongPort,
  'seats without ports': seatsWithoutPorts,
  'no such call': noSuchCall,
  'canned answers': cannedAnswers,
  'crowd from one address': crowdFromOneAddress,
  'server ended dirty': endedDirty,
  'buffered output': bufferedOutput,
}

/** The rules with their names. */
export const ruleEntries = Object.entries(rules) as unknown as [WarningRule, Rule][] // each gets the facts that it reports
