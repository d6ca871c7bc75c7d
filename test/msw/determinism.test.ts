import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

describe('the seed', { tags: ['slow'] }, () => {
  /** A program on the built package that prints everything that a client can see of a world, including ray ids. */
  const program = `
    import { createMockmaker } from '${new URL('../../dist/index.js', import.meta.url).href}'
    const mock = createMockmaker(JSON.parse(process.argv[1]))
    const tokenOf = kind => mock.tokens.find(token => token.kind === kind).token
    const encode = body => new TextEncoder().encode(JSON.stringify(body))
    const asked = [
      ['GET', '/matchmaker/lobbies/list', { origin: 'http://localhost' }],
      ['POST', '/cloud/devices/links', {}],
      ['POST', '/cloud/devices/links', {}],
      ['POST', '/cloud/devices/links/complete', { authorization: 'Bearer ' + tokenOf('cloud') },
        { device_link_token: mock.world.deviceLinks.all()[0].device_link_token, game_id: mock.world.games.all()[0].game_id }],
      ['GET', '/nowhere', {}],
    ]
    for (const [method, path, headers, body] of asked) {
      const answer = await mock.answer({ method, path, query: 'include_state=true', headers, body: body && encode(body) })
      console.log(answer.status, JSON.stringify(answer.headers), new TextDecoder().decode(answer.body))
    }
    const link = mock.world.deviceLinks.all()[0].device_link_token
    const watched = await mock.answer({ method: 'GET', path: '/cloud/devices/links', query: 'device_link_token=' + link, headers: {} })
    console.log(new TextDecoder().decode(watched.body), JSON.stringify(mock.tokens), mock.world.revision)
    await mock.close()
  `
  const scenario = {
    now: '2026-11-20T20:00:00Z',
    clock: 'frozen',
    game_modes: ['duel', 'ffa'],
    generate: { lobbies: 50 },
    device_links: [{}],
  }
  /** Runs the program, once for equal arguments. */
  const run = (scenario: object, seed?: number) => {
    const name = JSON.stringify([scenario, seed])
    const running = runs.get(name) ?? runInProcess(scenario, seed)
    runs.set(name, running)
    return running
  }
  const runs = new Map<string, Promise<string>>()
  const runInProcess = async (scenario: object, seed?: number) => {
    const args = ['--input-type=module', '--eval', program, JSON.stringify({ scenario, seed })]
    return (await promisify(execFile)(process.execPath, args)).stdout
  }

  it('makes two processes give the same answers, to the byte, and comes from the option before the scenario', async () => {
    const [option, inScenario] = await Promise.all([run({ ...scenario, seed: 9 }, 5), run({ ...scenario, seed: 5 })])

    expect(option.split('\n')).toHaveLength(7)
    expect(inScenario).toBe(option)
  })

  it('changes every line of the answers if it is another one', async () => {
    const [first, second] = await Promise.all([run({ ...scenario, seed: 5 }), run(scenario, 6)])

    const lines = second.split('\n')
    expect(first.split('\n').filter((line, i) => line !== '' && line === lines[i])).toEqual([])
  })
})
