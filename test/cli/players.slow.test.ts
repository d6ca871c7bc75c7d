import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { WarningsState } from '../../src/core/control/warnings/warning.js'
import { folder, serve, start } from '../support/command.js'
import { pageAt, programsOf } from '../support/docs.js'
import { isGroupAlive, until } from '../support/game-server-programs.js'
import { runHere } from '../support/run-here.js'

/** Serves a scenario beside the files of a page, and returns its folder, with the client. */
async function serveGame(page: string, scenario: string) {
  const cwd = await folder()
  const texts = new Map(Object.entries(programsOf(pageAt(page))).filter(([file]) => /\.(yaml|mjs)$/.test(file)))
  texts.set('game.yaml', 'servers: { command: node lobby-server.mjs }\ngame_modes: [duel]\n')
  for (const [name, text] of texts) await writeFile(join(cwd, name), text)
  const mock = await serve([scenario], { cwd })
  for (const [name, text] of texts) await writeFile(join(cwd, name), text.replaceAll('http://127.0.0.1:4100', mock.url))
  const players = async () => {
    const response = await fetch(`${mock.url}/__mock/players`)
    return ((await response.json()) as { players: { status: string }[] }).players
  }
  const stories = async (outcome: string) => {
    const response = await fetch(`${mock.url}/__mock/stories?outcome=${outcome}`)
    return ((await response.json()) as { stories: object[] }).stories
  }
  const warnings = async () => ((await (await fetch(`${mock.url}/__mock/warnings`)).json()) as WarningsState).warnings
  return { ...mock, cwd, players, stories, warnings }
}

const guide = 'docs/guides/bots.md'

/** The pids of the processes that started, in their order. */
const pidsIn = (lines: readonly string[]) =>
  lines.flatMap(line => Number(/^bot \d+: started.*, pid (\d+)$/.exec(line)?.[1] ?? []) || [])

describe('mockmaker players', () => {
  it("plays with 3 of the README's client on the README's server, and leaves no process", async () => {
    const { url, cwd, stories, warnings } = await serveGame('README.md', 'duel.yaml')
    const bots = start(['players', '3', '--url', url, '--', process.execPath, 'play.mjs'], { cwd })
    const played = () => bots.lines().filter(line => line.endsWith('| you play'))

    await until(() => new Set(played().map(line => line.split(' |')[0])).size === 3)
    await expect.poll(async () => (await stories('left')).length).toBeGreaterThanOrEqual(3)
    expect(await warnings()).toEqual([])
    bots.signal('SIGINT')
    const { code, stderr } = await bots.exited

    expect([code, stderr]).toEqual([0, ''])
    expect(pidsIn(bots.lines()).filter(isGroupAlive)).toEqual([])
  })

  it('gives seats, and kills a client that floods its output and ignores SIGTERM', async () => {
    const { url } = await serveGame(guide, 'game.yaml')
    // A shell that never pauses takes a core.
    const flood = 'while :; do i=0; while [ $i -lt 5000 ]; do echo flood; i=$((i + 1)); done; sleep 0.3; done'
    const client = `trap '' TERM; echo seat $PORT_default $HOST_default $RIVET_PLAYER_TOKEN; ${flood}`
    const bots = start(['players', '2', '--url', url, '--find', 'duel', '--', 'sh', '-c', client])
    await until(() => bots.lines().filter(line => /^bot \d \| seat \d+ 127\.0\.0\.1 player\./.test(line)).length === 2)
    await until(() => bots.lines().some(line => line.includes('lines dropped')))

    bots.signal('SIGTERM')
    const { code } = await bots.exited

    expect(code).toBe(0)
    expect(pidsIn(bots.lines())).toHaveLength(2)
    expect(pidsIn(bots.lines()).filter(isGroupAlive)).toEqual([])
  })

  it('exits with 127 if there is no such command, and ends with the mock', async () => {
    const { url, signal } = await serveGame(guide, 'game.yaml')
    const missing = await runHere(['players', '4', '--url', url, '--', './no such client'])
    expect(missing.code).toBe(127)
    expect(missing.stderr).toContain("The shell found no such command. Command: exec './no such client'")
    const bots = start(['players', '2', '--url', url, '--', process.execPath, '-e', 'setInterval(() => {}, 1e6)'])
    await until(() => pidsIn(bots.lines()).length === 2)

    signal('SIGKILL')
    const { code, stderr } = await bots.exited

    expect([code, stderr]).toEqual([1, `the mock at ${url} has ended, so its players end too\n`])
    expect(pidsIn(bots.lines()).filter(isGroupAlive)).toEqual([])
  })
})

describe('players with a command', () => {
  it('play on the servers of their scenario, and end with the mock', async () => {
    const { lines, players, signal, exited } = await serveGame(guide, 'filled.yaml')
    await until(() => lines().filter(line => /^bot (\d) \| player \1 hears: welcome$/.test(line)).length === 6)
    expect((await players()).map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 'connected'))

    signal('SIGINT')
    const { code } = await exited

    const pids = pidsIn(lines())
    expect([code, pids.length, pids.filter(isGroupAlive)]).toEqual([0, 6, []])
  })

  it('end if the mock is killed', async () => {
    const { lines, signal, exited } = await serveGame(guide, 'filled.yaml')
    await until(() => pidsIn(lines()).length === 6)

    signal('SIGKILL')
    await exited

    await until(() => pidsIn(lines()).filter(isGroupAlive).length === 0)
  })
})
