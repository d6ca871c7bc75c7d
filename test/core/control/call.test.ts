import { describe, expect, it } from 'vitest'
import { prefersJson } from '../../../src/core/control/call.js'

describe('prefersJson', () => {
  it.each([
    'application/json',
    'application/json, text/plain, */*',
    'text/html;q=0.5, application/json',
    'text/html;q=0.5,application/*;q=0.6',
    'APPLICATION/JSON; q=0.1',
    'text/html;q=0, */*',
  ])('is true for "%s"', accept => {
    expect(prefersJson(accept)).toBe(true)
  })

  it.each([
    undefined,
    '',
    '*/*',
    'text/html',
    'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'application/json, text/html',
    'application/json;q=0.5, text/html;q=0.6',
    'application/json;q=0, */*',
    'application/json;q=none',
    ';;,,q=',
  ])('is false for "%s"', accept => {
    expect(prefersJson(accept)).toBe(false)
  })

  it.each([
    ['application/json', true],
    ['application/json, text/plain;q=0.5', true],
    ['*/*', false],
    ['text/plain, application/json', false],
    ['text/html, */*;q=0.8', false],
  ])('knows of "%s" whether JSON is better than a plain text', (accept, better) => {
    expect(prefersJson(accept, 'text/plain')).toBe(better)
  })
})
