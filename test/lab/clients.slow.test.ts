import { describe, expect, it } from 'vitest'
import { checkFunctionClient } from '../../src/lab/index.js'
import { watchClient } from '../support/watch-clients.js'

/** Shorter than those of users. */
const patience = { holdMs: 1_500, deadMs: 5_000 }

describe('the laboratory', () => {
  it('gives a right client an A', async () => {
    const report = await checkFunctionClient(watchClient({ timeoutMs: 3_000 }), {}, { patience })

    expect(report.checks.filter(({ passed }) => !passed)).toEqual([])
    expect(report.grade).toBe('A')
  })
})
