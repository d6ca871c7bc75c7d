import { answerEntryPoint, commandEntryPoint, expressEntryPoint, mswEntryPoint } from '../support/entry-points.js'
import { itKeepsEvidence, noting } from '../support/evidence.js'
import { describeThrough } from '../support/fixtures.js'
import { essentials, specification } from './specification.js'

describeThrough(
  noting(answerEntryPoint, () => 'specification'),
  specification,
)
// The tests of parity hold that the other entry points answer with the same bytes.
for (const entryPoint of [mswEntryPoint, expressEntryPoint, commandEntryPoint]) describeThrough(entryPoint, essentials)
itKeepsEvidence()
