import { describe, expect, it } from 'vitest'
import { readScenario } from '../../../src/core/scenario/read.js'
import { problemLines } from '../../support/worlds.js'

const problems = (input: unknown) => problemLines(() => readScenario(input))

describe('a device link', () => {
  const soon = { completes_after: '5s', completes_at: '2026-11-20T20:00:00Z' }
  const late = { expires_after: '5s', expires_at: '2026-11-20T20:00:00Z' }

  it.each([
    [
      'completes_at beside completes_after',
      soon,
      'completes_at and device_links[0].completes_after set the same time. Keep one of them.',
    ],
    [
      'expires_at beside expires_after',
      late,
      'expires_at and device_links[0].expires_after set the same time. Keep one of them.',
    ],
    [
      'completes_at of a complete link',
      { status: 'complete', completes_at: soon.completes_at },
      'completes_at needs a device link with status pending, and this one has complete. Remove it, or change the status.',
    ],
    [
      'a cloud token of a pending link',
      { cloud_token: 'c' },
      'cloud_token needs a device link with status complete, and this one has pending. Remove it, or change the status.',
    ],
    [
      'an instant without a zone',
      { expires_at: '2026-11-20T20:00:00' },
      'expires_at is "2026-11-20T20:00:00": expected a date and time with a zone, as in 2026-11-20T20:00:00Z',
    ],
  ])('refuses %s', (_, link, line) => {
    expect(problems({ device_links: [link] })).toEqual([`scenario: device_links[0].${line}`])
  })

  it('refuses completes_at if the game is ambiguous', () => {
    const games = [{ name_id: 'a' }, { name_id: 'b' }]

    expect(problems({ games, device_links: [{ completes_at: soon.completes_at }] })).toEqual([
      'scenario: device_links[0].game is missing, and the scenario does not have exactly one game. Known: a, b.',
    ])
  })

  it('refuses a cloud token that another link has, if both are valid tokens', () => {
    const device_links = ['a', 'b'].map(token => ({ token, status: 'complete', cloud_token: 'c' }))

    expect(problems({ device_links })).toEqual([
      'scenario: device_links[1].cloud_token is "c", which device_links[0].cloud_token is already. Give each its own.',
    ])
  })
})
