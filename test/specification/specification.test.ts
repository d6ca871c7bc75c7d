import {
  answerEntryPoint,
  commandEntryPoint,
  describeThrough,
  expressEntryPoint,
  mswEntryPoint,
} from '../support/entry-points.js'
import { essentials, specification } from './specification.js'

describeThrough(answerEntryPoint, specification)
// The slow tests run all of it through these.
for (const entryPoint of [mswEntryPoint, expressEntryPoint, commandEntryPoint]) describeThrough(entryPoint, essentials)
