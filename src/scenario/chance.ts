import * as z from 'zod'
import { exact } from '../contract/exact.js'

const int32 = z.int32()
const Sequence = z.tuple([int32, int32, int32, int32])

/** Where the sequences of a world's chance stand, as a snapshot says it. */
export const ChanceEntry = exact({
  world: Sequence.optional().describe('That of ids and tokens.'),
  faults: Sequence.optional().describe('That of faults.'),
})
