import { answerEntryPoint, commandEntryPoint, expressEntryPoint, mswEntryPoint } from '../support/entry-points.js'
import { describeThrough } from '../support/fixtures.js'
import { essentials, specification } from './specification.js'

describeThrough(answerEntryPoint, specification)
// The slow tests run all of it through these.
for (const entryPoint of [mswEntryPoint, expressEntryPoint, commandEntryPoint]) describeThrough(entryPoint, essentials)
