import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it as base, describe, expect, onTestFinished } from 'vitest'
import { type OpenCommand, openCommand } from '../support/command.js'
import { blocksWith } from '../support/docs.js'
import { type GodotResponse, godotGame, unityGame, unrealGame } from '../support/engine-clients.js'
import { createProject, type Project } from '../support/project.js'

const it = base.extend<{ project: Project; server: OpenCommand }>({
  project: [
    // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern
    async ({}, use) => {
      const project = await createProject({ 'package.json': '{}' })
      await use(project)
      project.remove()
    },
    { scope: 'file' },
  ],
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern
    async ({}, use) => {
      const server = await openCommand()
      await use(server)
      await server.end()
    },
    { scope: 'file' },
  ],
})

/** Returns the blocks of README.md and the guide that contain a text, with the URL of the test's server. */
function recipes(language: string, text: string, { url } = { url: 'http://127.0.0.1:4100' }): string[] {
  const found = blocksWith(language).filter(({ block }) => block.text.includes(text))
  expect(found.length, text).toBeGreaterThan(0)
  return found.map(({ block }) => block.text.replaceAll('http://127.0.0.1:4100', url))
}

/** Returns names and values: the two groups of a pattern that matches lines of a text. */
const settings = (text: string, pattern: RegExp): Record<string, string> =>
  Object.fromEntries([...text.matchAll(pattern)].map(([, name = '', value = '']) => [name, value]))

/** The port of a seat in the default scenario. */
const port = { hostname: '127.0.0.1', port: 7777, is_tls: false }

describe('the recipes for engines', () => {
  it('connect a game in Godot to the mock', async ({ project, server }) => {
    for (const recipe of recipes('sh', 'godot --path .', server)) {
      const game = godotGame(settings(await project.run('bash', ['-c', recipe]), /^(RIVET_\w+)=(.*)$/gm))

      const answer = await game.call('POST', 'matchmaker/lobbies/find', { game_modes: ['duel'] })

      expect(answer).toMatchObject({ response_code: 200, body: { ports: { default: port } } })
    }
  })

  it('set both variables that Godot needs in PowerShell', async ({ server }) => {
    for (const recipe of recipes('powershell', 'godot --path .', server)) {
      const game = godotGame(settings(recipe, /\$env:(RIVET_\w+) = '(.*?)'/g))

      expect(await game.call('POST', 'matchmaker/lobbies/find', { game_modes: ['duel'] })).toMatchObject({
        response_code: 200,
      })
    }
  })

  it('connect a game in Unity to the mock', async ({ server }) => {
    for (const recipe of recipes('cs', 'PlayerPrefs.SetString', server)) {
      const game = unityGame({ prefs: settings(recipe, /PlayerPrefs\.SetString\("(\w+)", "(.*?)"\)/g) })

      expect(await game.findLobby({ game_modes: ['duel'] })).toMatchObject({ ports: { default: port } })
    }
  })

  it('connect a built game in Unity to the mock', async ({ server }) => {
    for (const recipe of recipes('json', 'ApiEndpoint', server)) {
      const game = unityGame({ prefs: JSON.parse(recipe) })

      expect(await game.findLobby({ game_modes: ['duel'] })).toMatchObject({ ports: { default: port } })
    }
  })

  it('send all players to one game server with the development token, which accepts every player', async ({
    project,
  }) => {
    writeFileSync(join(project.folder, 'tanks.yaml'), recipes('yaml', 'target_port: 10567')[0] ?? '')
    const own = await openCommand([join(project.folder, 'tanks.yaml')])
    onTestFinished(async () => void (await own.end()))
    const printed = await project.run('mockmaker', ['env', '--url', own.url, '--token', 'development'])
    const everybody = () => godotGame(settings(printed, /^export (\w+)=(.*)$/gm))

    const find = () => everybody().call('POST', 'matchmaker/lobbies/find', { game_modes: ['default'] })
    const found = [await find(), await find(), await find()]
    const ready = await everybody().call('POST', 'matchmaker/lobbies/ready')
    const connected: GodotResponse[] = []
    for (const { body } of found) {
      const { token } = (body as { player: { token: string } }).player
      connected.push(await everybody().call('POST', 'matchmaker/players/connected', { player_token: token }))
    }

    for (const { body } of found) expect(body).toMatchObject({ ports: { default: { host: '127.0.0.1:10567' } } })
    expect([ready, ...connected]).toEqual(Array(4).fill({ result: 0, response_code: 200, body: {} }))
  })

  it('find a lobby with curl', async ({ project, server }) => {
    for (const recipe of recipes('sh', "curl -d '", server)) {
      expect(await project.run('bash', ['-c', recipe])).toContain('"region_id":"lnd-fra"')
    }
  })

  it('connect a game in Unreal to the mock, by its configuration', async ({ server }) => {
    for (const recipe of recipes('ini', '[/Script/Rivet.RivetClient]', server)) {
      const game = await unrealGame({ config: settings(recipe, /^(\w+)=(.*)$/gm) })

      expect(await game.find(['duel'])).toMatchObject({ ports: { default: port } })
      game.close()
    }
  })

  it('connect a game in Unreal to the mock, by its environment', async ({ project, server }) => {
    const printed = await project.run('mockmaker', ['env', '--url', server.url])

    const game = await unrealGame({ environment: settings(printed, /^export (\w+)=(.*)$/gm) })

    expect(await game.find(['duel'])).toMatchObject({ ports: { default: port } })
    game.close()
  })
})
