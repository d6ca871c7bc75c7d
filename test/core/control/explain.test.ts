import { it as property } from '@fast-check/vitest'
import { describe, expect, inject } from 'vitest'
import { createMockmaker } from '../../../src/index.js'
import { ask, failure, json } from '../../support/http.js'
import { it } from '../../support/served-mock.js'
import { ids, tokens } from '../../support/tanks.js'
import { closedAfterTest, live } from '../../support/worlds.js'
import { play, randomWorld } from '../scenario/random-world.js'

describe('explain', () => {
  it.for([
    [ids.lobby, 'listed', 'public token of tanks/prod'],
    ['closed', 'not listed', 'it is closed (is_closed)'],
    ['private', 'not listed', 'it is private (publicity)'],
    ['unlisted', 'not listed', 'it is of a game mode that is not listable'],
    ['clsed', 'does not exist', 'did you mean closed?'],
  ] as const)('says that the lobby %s is %s', async ([lobby_id, verdict, reason], { serve }) => {
    const { client } = await serve()

    const explained = await client.explain({ lobby_id })

    expect(explained.verdict).toBe(verdict)
    expect(explained.because.join('\n')).toContain(reason)
  })

  it('says that the scenario hides an empty lobby', async ({ serve }) => {
    const { mock } = await serve()
    await mock.world.settings.update(q => q.where({ settings_id: 'settings' }), {
      data: settings => void Object.assign(settings, { hide_empty_lobbies: true }),
    })
    await mock.world.lobbies.create({ lobby_id: 'second', game_mode_id: 'ffa', region_id: 'lnd-syd' })

    expect(mock.explain({ lobby_id: 'second' })).toMatchObject({
      verdict: 'not listed',
      because: expect.arrayContaining([expect.stringContaining('hide_empty_lobbies')]),
    })
  })

  it.for([
    [{}, 'the mock simulates its server until the first call'],
    [{ run_by: 'server' }, 'a real server runs it'],
    [
      { status: 'starting', ready_by: Date.parse('2026-11-20T20:05:00Z') },
      'and stops at 2026-11-20T20:05:00.000Z if it does not',
    ],
    [
      { status: 'starting', ready_by: undefined },
      'it is not ready until its server calls POST /matchmaker/lobbies/ready\n',
    ],
    [{}, 'connected players: 1, reserved: 2, free for find: 5, for join by its id: 7'],
    [{ is_closed: true }, 'reserved: 2, free for find: 0, for join by its id: 7'],
    [{ publicity: 'private' }, 'reserved: 2, free for find: 0, for join by its id: 7'],
  ] as const)('adds to a lobby that is %j', async ([columns, known], { serve }) => {
    const { mock } = await serve()
    await mock.world.lobbies.create({ lobby_id: 'own', game_mode_id: 'ffa', ...columns })
    for (const status of ['connected', 'reserved', 'reserved'] as const)
      await mock.world.players.create({ lobby_id: 'own', status })

    const { because } = mock.explain({ lobby_id: 'own' })

    expect(because.join('\n')).toContain(known)
    expect(because.some(reason => reason.startsWith('it is not ready'))).toBe('status' in columns)
  })

  const listPath = '/matchmaker/lobbies/list'
  it.for([
    [{ path: listPath }, 'answered by lobbies.list', 'the default namespace tanks/prod answers'],
    [{ path: `/w/other${listPath}?include_state=true` }, 'answered by lobbies.list', 'tokenless'],
    [{ path: listPath, token: tokens.development }, 'answered by lobbies.list', 'canned data'],
    [
      { path: listPath, origin: 'https://tanks.example' },
      'answered by lobbies.list',
      'pages of https://tanks.example belong',
    ],
    [{ path: listPath, origin: 'https://x.example' }, 'answered by lobbies.list', '--cors-origin https://x.example'],
    [
      { method: 'POST', path: '/cloud/devices/links', origin: 'https://x.example' },
      'answered by devices.links.prepare',
      'refuses this call from such a page (403 API_FORBIDDEN)',
    ],
    [{ path: listPath, token: 'nobody' }, '400 TOKEN_INVALID', 'the mock does not know this token'],
    [{ path: `http://127.0.0.1:4100/w/x${listPath}` }, 'answered by lobbies.list', 'tokenless'],
    [{ path: '/w/x' }, 'answered by a page', 'no operation has the path'],
    [{ path: '/devices/link/x' }, 'answered by a page', 'no operation has the path'],
    [{ path: '/w/x/__mock/world' }, 'answered by the control API', 'no operation has the path'],
    [{ path: listPath, method: 'post' }, '400 API_METHOD_NOT_ALLOWED', 'use GET'],
    [{ path: '/lobbies/list' }, '404 API_NOT_FOUND', 'did you mean GET /matchmaker/lobbies/list?'],
    [{ path: '/cloud/devices/links/complete', method: 'POST' }, '401 API_UNAUTHORIZED', 'a cloud token'],
    [{ path: '/cloud/devices/links', method: 'POST' }, 'answered by devices.links.prepare', 'no token was sent'],
  ] as const)('says that the request %j is %s', async ([question, verdict, reason], { serve }) => {
    const { client } = await serve()

    const explained = await client.explain(question)

    expect(explained.verdict).toBe(verdict)
    expect(explained.because.join('\n')).toContain(reason)
  })

  it.for([
    [{ name_id: 'beta' }, 'valid', 'no namespace of tanks'],
    [{ name_id: 'prod' }, 'invalid', 'already has a namespace "prod"'],
    [{ name_id: 'race', game: 'boats' }, 'valid', 'of boats'],
    [{ name_id: 'Beta' }, 'invalid', 'not an identifier'],
    [{ name_id: '' }, 'invalid', 'it is empty'],
    [{ name_id: 'a-name-of-17-byte' }, 'invalid', 'it has 17 bytes'],
    [{ display_name: ' x' }, 'invalid', 'not a display name'],
    [{ display_name: 'x'.repeat(129) }, 'invalid', 'it has 129 bytes'],
    [{ display_name: '' }, 'invalid', 'it is empty'],
  ] as const)('says that the name %j is %s', async ([question, verdict, reason], { serve }) => {
    const { client } = await serve()

    const explained = await client.explain(question)

    expect(explained.verdict).toBe(verdict)
    expect(explained.because.join('\n')).toContain(reason)
  })

  it('says that a display name is valid, whatever names the namespaces have', async ({ serve }) => {
    const { mock } = await serve()
    await mock.world.namespaces.create({ name_id: 'a' })

    expect(mock.explain({ display_name: 'Beta' }).verdict).toBe('valid')
  })

  it('refuses an unknown game', async ({ serve }) => {
    const { client } = await serve()

    await expect(client.explain({ name_id: 'beta', game: 'tank' })).rejects.toThrow('Did you mean tanks?')
  })

  it('refuses an empty method', async ({ serve }) => {
    const { client } = await serve()

    await expect(client.explain({ path: '/', method: '' })).rejects.toThrow(
      'method is "": expected a length of at least 1',
    )
  })

  it.for(['', '?lobby_id=x&path=/'])('refuses a query with none or several subjects: %j', async (query, { serve }) => {
    const { steer } = await serve()

    expect(failure(await steer('GET', `/__mock/explain${query}`))).toBe('400 API_BAD_QUERY')
  })

  it('changes nothing, and is not in the journal', async ({ serve }) => {
    const { mock, client } = await serve()
    const { revision } = mock.world

    await client.explain({ path: listPath, token: tokens.public })

    expect([mock.world.revision, mock.journal.find()]).toEqual([revision, []])
  })
})

describe('the explained listing of a lobby', () => {
  property.prop([randomWorld], { numRuns: inject('runs') })('is what the list has', async ({ scenario, steps }) => {
    const mock = closedAfterTest(createMockmaker({ scenario }))
    for (const step of steps) await play(step, live(mock.world))
    await mock.clock.set({ mode: 'frozen' })

    for (const { namespace_id } of mock.world.namespaces.all()) {
      const { token } = await mock.world.tokens.create({ kind: 'public', namespace_id })
      const headers = { authorization: `Bearer ${token}` }
      const answer = json(await ask(mock, { method: 'GET', path: '/matchmaker/lobbies/list', headers }))

      const explained = mock.world.lobbies
        .findMany({ namespace_id })
        .filter(({ lobby_id }) => mock.explain({ lobby_id }).verdict === 'listed')

      const { lobbies } = answer as { lobbies: { lobby_id: string }[] }
      expect(explained.map(({ lobby_id }) => lobby_id)).toEqual(lobbies.map(({ lobby_id }) => lobby_id))
    }
  })
})
