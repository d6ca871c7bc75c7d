import { answerEntryPoint, commandEntryPoint, expressEntryPoint, mswEntryPoint } from '../support/entry-points.js'
import { describeThrough } from '../support/fixtures.js'
import { essentials, specification } from './specification.js'

describeThrough(answerEntryPoint, specification)
// The slow tests run the whole specification through these entry points.
for (const entryPoint of [mswEntryPoint, expressEntryPoint, commandEntryPoint]) describeThrough(entryPoint, essentials)
