import fc from 'fast-check'
import { inject } from 'vitest'

// Each run of the tests takes other seeds, so a few runs of each property find in time what many would find at once.
fc.configureGlobal({ numRuns: inject('runs') })
