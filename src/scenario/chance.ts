import * as z from 'zod'
import { exact } from '../contract/exact.js'

const int32 = z.int32()
const Sequence = z.tuple([int32, int32, int32, int32])

/** Where the sequences of a world's chance stand, as a snapshot says it. */
export const ChanceEntry = exact({
  world: Sequence.optional().describe('Where the sequence of ids and tokens stands: four numbers.'),
  faults: Sequence.optional().describe('Where the sequence of faults stands: four numbers.'),
})
