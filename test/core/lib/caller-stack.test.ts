import { afterEach, expect, it, vi } from 'vitest'
import { UsageError } from '../../../src/core/lib/messages.js'

const { prepareStackTrace, stackTraceLimit } = Error
afterEach(() => Object.assign(Error, { prepareStackTrace, stackTraceLimit }))

it('the stack of an error becomes a text when somebody reads it, once', () => {
  const format = vi.fn(() => 'Error\n    at own (/own.js:1:1)\n    at caller (/caller.js:1:1)')
  Error.prepareStackTrace = format
  const error = new UsageError('wrong')
  expect(format).not.toHaveBeenCalled()

  expect([error.stack, error.stack]).toEqual(Array(2).fill('UsageError: wrong\n    at caller (/caller.js:1:1)'))
  expect(format).toHaveBeenCalledOnce()
  expect(Object.keys(error)).not.toContain('stack')
})

it('the stack of an error can be replaced', () => {
  const [unread, read] = [new UsageError('wrong'), new UsageError('wrong')]
  expect(read.stack).toContain('caller-stack.test.ts')

  unread.stack = 'other'
  read.stack = 'other'

  expect([unread.stack, read.stack]).toEqual(['other', 'other'])
})

it('the stack of an error is what a library makes of it', () => {
  Error.prepareStackTrace = (_, sites) => sites.length

  expect(new UsageError('wrong').stack).toBeGreaterThan(0)
})

it('the stack of a frozen error can be read', () => {
  const error = Object.freeze(new UsageError('wrong'))

  expect(error.stack).toMatch(/^UsageError: wrong\n +at .*caller-stack\.test\.ts/)
})

it('the stack of an error without a caller begins after our functions for stacks', () => {
  const frames = ['rememberCaller', 'beginAtCaller', 'new UsageError'].map(
    name => `at ${name} (/package/dist/a.js:1:1)`,
  )
  Error.prepareStackTrace = () => ['Error', ...frames].join('\n    ')

  expect(new UsageError('wrong').stack).toBe('UsageError: wrong\n    at new UsageError (/package/dist/a.js:1:1)')
})

it('the stack of an error has no frames if stacks are off', () => {
  Error.stackTraceLimit = 0

  expect(new UsageError('wrong').stack).not.toContain('    at ')
})
