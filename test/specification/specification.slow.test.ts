import { commandEntryPoint, describeThrough, expressEntryPoint, mswEntryPoint } from '../support/entry-points.js'
import { specification } from './specification.js'

for (const entryPoint of [mswEntryPoint, expressEntryPoint, commandEntryPoint])
  describeThrough(entryPoint, specification)
