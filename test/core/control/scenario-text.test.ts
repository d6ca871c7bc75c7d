import { describe, expect } from 'vitest'
import { failure, json } from '../../support/http.js'
import { it } from '../../support/served-mock.js'

const yaml = `title: From a file
game_modes: [duel]
lobbies:
  - { game_mode_id: duel, lobby_id: mine }
`

describe('PUT /__mock/scenario with the text of a file', () => {
  it.for([
    ['YAML', yaml],
    ['JSON', JSON.stringify({ title: 'From a file', game_modes: ['duel'], lobbies: [{ lobby_id: 'mine' }] })],
  ] as const)('loads %s', async ([, text], { serve }) => {
    const { mock, steer } = await serve()

    const answer = await steer('PUT', '/__mock/scenario', { text, file: 'mine.yaml' })

    expect(json(answer)).toMatchObject({ title: 'From a file', counts: { lobbies: 1 } })
    expect(mock.world.lobbies.get('mine')?.game_mode_id).toBe('duel')
  })

  it('loads a world that was exported, with its requests and faults', async ({ serve }) => {
    const { mock, client, steer, send } = await serve()
    await send({ method: 'GET', path: '/matchmaker/lobbies/list' })
    mock.faults.add({ effect: { hold: true } })
    const text = JSON.stringify(await client.snapshot({ with: ['faults', 'journal'] }))
    await mock.reset()

    await steer('PUT', '/__mock/scenario', { text })

    expect([mock.journal.find().length, mock.faults.list().length]).toEqual([1, 1])
  })

  it.for([
    [
      'a reference',
      yaml.replace('{ game_mode_id: duel', '{ game_mode_id: dual'),
      'mine.yaml:4:21: lobbies[0].game_mode_id',
    ],
    ['an unknown key', `${yaml}lobies: []`, 'mine.yaml:5:1: lobies is an unknown key'],
    ['the syntax', 'title: [', 'mine.yaml:1:'],
    ['no object', '- 1', 'mine.yaml:1:1: '],
    ['nothing but a comment', '# later', 'mine.yaml is empty'],
    ['a server command', `${yaml}servers: { command: ./server }`, 'servers.command'],
  ])('refuses a text that is wrong in %s, and changes nothing', async ([, text, message = ''], { serve }) => {
    const { mock, steer } = await serve()
    const before = mock.snapshot()

    const answer = await steer('PUT', '/__mock/scenario', { text, file: 'mine.yaml' })

    expect(failure(answer)).toBe('400 API_BAD_BODY')
    expect(json(answer)).toMatchObject({ message: expect.stringContaining(message) })
    expect(mock.snapshot()).toEqual(before)
  })

  it.for([
    ['long YAML', `${yaml}${'# x\n'.repeat(70_000)}`, 'YAML may have 262144 characters over HTTP, not 2800'],
    [
      'long JSON with a slip',
      `{"title":"${'x'.repeat(300_000)}",}`,
      'this is not valid JSON, and YAML may have 262144',
    ],
    ['JSON of many values', `{"lobbies":[${'{},'.repeat(250_000)}{}]}`, 'mine.yaml has more than 500000 objects'],
  ])('refuses %s before it parses it, and changes nothing', async ([, text, message = ''], { serve }) => {
    const { mock, steer } = await serve()
    const before = mock.snapshot()

    const answer = await steer('PUT', '/__mock/scenario', { text, file: 'mine.yaml' })

    expect(failure(answer)).toBe('400 API_BODY_TOO_LARGE')
    expect(json(answer)).toMatchObject({
      message: expect.stringMatching(/tart the command with the file.*mine\.yaml$/),
    })
    expect(json(answer)).toMatchObject({ message: expect.stringContaining(message) })
    expect(mock.snapshot()).toEqual(before)
  })

  const longJson = (region_id: string) =>
    JSON.stringify({ game_modes: ['duel'], lobbies: [{ region_id, state: 'x'.repeat(300_000) }] })

  it('loads JSON that would be too long as YAML', async ({ serve }) => {
    const { mock, steer } = await serve()

    await steer('PUT', '/__mock/scenario', { text: longJson('lnd-fra') })

    expect(mock.world.lobbies.findFirst()?.state).toHaveLength(300_000)
  })

  it('names the wrong key of such JSON, without its line', async ({ serve }) => {
    const { steer } = await serve()

    const answer = await steer('PUT', '/__mock/scenario', { text: longJson('lnd-frA') })

    expect(json(answer)).toMatchObject({ message: expect.stringMatching(/^scenario: lobbies\[0\]\.region_id/) })
  })

  it('refuses a text beside a name', async ({ serve }) => {
    const { steer } = await serve()

    const answer = await steer('PUT', '/__mock/scenario', { text: yaml, name: 'default' })

    expect(json(answer)).toMatchObject({ message: expect.stringContaining('expected one of name, scenario and text') })
  })
})
