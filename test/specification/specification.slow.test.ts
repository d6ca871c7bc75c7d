import { commandEntryPoint, expressEntryPoint, mswEntryPoint } from '../support/entry-points.js'
import { describeThrough } from '../support/fixtures.js'
import { specification } from './specification.js'

for (const entryPoint of [mswEntryPoint, expressEntryPoint, commandEntryPoint])
  describeThrough(entryPoint, specification)
