import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import type { JournalEntry } from '../../src/core/contract/journal.js'
import type { Mockmaker } from '../../src/index.js'
import type { EntryPoint, OpenLocalMock } from './entry-points.js'

/** The published clients, by how their user agents begin. */
const clients = {
  'axios/': 'JavaScript',
  'CLI/': 'CLI',
  'GodotEngine/': 'Godot',
  'UnityPlayer/': 'Unity',
  'Tanks/++UE5': 'Unreal',
} as const

function clientOf({ headers }: JournalEntry): string | undefined {
  const agent = String(headers['user-agent'])
  return Object.entries(clients).find(([beginning]) => agent.startsWith(beginning))?.[1]
}

/** By test file: `<operation> <200 or the code> <who>`. */
const evidence = new Map<string, Set<string>>()

/** Notes what a mock has answered without a fault. `whoOf` names the sender. Requests of nobody do not count. */
export function noteAnswers({ journal }: Pick<Mockmaker, 'journal'>, whoOf = clientOf): void {
  const { testPath = '' } = expect.getState()
  const lines = evidence.get(testPath) ?? new Set()
  evidence.set(testPath, lines)
  for (const entry of journal.find()) {
    const { operation = '-', status, answer, fault } = entry
    const who = whoOf(entry)
    const result = status === 200 ? status : (answer as { code?: string } | undefined)?.code
    if (who !== undefined && result !== undefined && fault === undefined) lines.add(`${operation} ${result} ${who}`)
  }
}

/** An entry point that notes the answers of each test. */
export function noting(entryPoint: EntryPoint<OpenLocalMock>, whoOf: typeof clientOf): EntryPoint<OpenLocalMock> {
  return {
    ...entryPoint,
    async open(...args) {
      const open = await entryPoint.open(...args)
      return {
        ...open,
        reset() {
          noteAnswers(open.mock, whoOf)
          return open.reset()
        },
      }
    },
  }
}

/** The last test of a file: `--update` writes what its tests noted, and CI compares it. */
export function itKeepsEvidence(): void {
  it('is evidence for as many answers as before', async () => {
    const { testPath = '' } = expect.getState()
    const lines = [...(evidence.get(testPath) ?? [])].sort()
    const file = `${basename(testPath).replace(/\..*/, '')}.txt`
    const path = fileURLToPath(new URL(`../specification/evidence/${file}`, import.meta.url))
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(path)
  })
}
