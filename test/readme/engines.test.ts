import { it as base, describe, expect } from 'vitest'
import { type Spawned, spawnCommand } from '../doors.js'
import { godotGame } from '../engine/godot.js'
import { unityGame } from '../engine/unity.js'
import { unrealGame } from '../engine/unreal.js'
import { blocks, readme } from './block.js'
import { createProject, type Project } from './project.js'

const it = base.extend<{ project: Project; server: Spawned }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern
  project: async ({}, use) => {
    const project = await createProject({ 'package.json': '{}' })
    await use(project)
    project.remove()
  },
  // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern
  server: async ({}, use) => {
    const server = await spawnCommand(['--port', '0', '--json'])
    await use(server)
    await server.end()
  },
})

/** The block of README.md in which a text stands, with the port that the server of the test has. */
function recipe(text: string, { url }: Spawned): string {
  const block = blocks.find(one => one.text.includes(text))
  if (!block) throw new Error(`README.md has no block with ${text}`)
  return block.text.replaceAll('http://127.0.0.1:4100', url)
}

/** What the lines of a text say that a pattern matches: its first group is a name, its second the value. */
const settings = (text: string, pattern: RegExp): Record<string, string> =>
  Object.fromEntries([...text.matchAll(pattern)].map(([, name = '', value = '']) => [name, value]))

/** Where a seat leads in the default scenario. */
const port = { hostname: '127.0.0.1', port: 7777, is_tls: false }

describe('the recipes of README.md', () => {
  it('lead a game in Godot to the mock', async ({ project, server }) => {
    const printed = await project.run('bash', ['-c', recipe('godot --path .', server)])

    const game = godotGame(settings(printed, /^(RIVET_\w+)=(.*)$/gm))
    const answer = await game.call('POST', 'matchmaker/lobbies/find', { game_modes: ['duel'] })
    expect(answer).toMatchObject({ response_code: 200, body: { ports: { default: port } } })
  })

  it('set both variables that Godot needs in PowerShell, too', async ({ server }) => {
    const line = readme.replaceAll('http://127.0.0.1:4100', server.url)

    const game = godotGame(settings(line, /\$env:(RIVET_\w+) = '(.*?)'/g))

    expect(await game.call('GET', 'matchmaker/lobbies/list')).toMatchObject({ response_code: 200 })
  })

  it('lead a game in Unity to the mock', async ({ server }) => {
    const script = recipe('PlayerPrefs.SetString', server)

    const game = unityGame({ prefs: settings(script, /PlayerPrefs\.SetString\("(\w+)", "(.*?)"\)/g) })

    expect(await game.findLobby({ game_modes: ['duel'] })).toMatchObject({ ports: { default: port } })
  })

  it('lead a built game in Unity to the mock', async ({ server }) => {
    const [, written = ''] = /rivet_export\.json`.*?`(\{.*?\})`/.exec(readme) ?? []

    const game = unityGame({ prefs: JSON.parse(written.replace('http://127.0.0.1:4100', server.url)) })

    expect(await game.findLobby({ game_modes: ['duel'] })).toMatchObject({ ports: { default: port } })
  })

  it('lead a game in Unreal to the mock, by its configuration', async ({ server }) => {
    const config = settings(recipe('[/Script/Rivet.RivetClient]', server), /^(\w+)=(.*)$/gm)

    const game = await unrealGame({ config })

    expect(await game.find(['duel'])).toMatchObject({ ports: { default: port } })
    game.close()
  })

  it('lead a game in Unreal to the mock, by its environment', async ({ project, server }) => {
    const printed = await project.run('mockmaker', ['env', '--url', server.url])

    const game = await unrealGame({ environment: settings(printed, /^export (\w+)=(.*)$/gm) })

    expect(await game.find(['duel'])).toMatchObject({ ports: { default: port } })
    game.close()
  })
})
