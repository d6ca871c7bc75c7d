import { describe, expect } from 'vitest'
import { UsageError } from '../../src/index.js'
import { setupMockmaker } from '../../src/node.js'
import { it } from '../support/node-mock.js'

describe('a wrong option', () => {
  it.for([
    [{ seed: 1.5 }, /seed is 1\.5: expected an integer/],
    [{ seed: Number.NaN }, /seed is NaN/],
    [{ watchTimeoutMs: -1 }, /watchTimeoutMs is -1: expected a number of ms from 0/],
    [{ watchTimeoutMs: Number.NaN }, /watchTimeoutMs is NaN/],
    [{ baseUrl: 'mock.test' }, /baseUrl is "mock\.test": expected an origin/],
    [{ baseUrl: '' }, /baseUrl is ""/],
  ] as const)('throws UsageError at once: %j', ([options, message]) => {
    expect(() => setupMockmaker(options)).toThrow(UsageError)
    expect(() => setupMockmaker(options)).toThrow(message)
  })
})
