// @ts-check
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Tokens and ids of the scenarios of the bench. */
export const gameId = '11111111-1111-4111-8111-111111111111'
export const tokens = { public: 'pub_prod.mock.bench', cloud: 'cloud.mock.bench' }

/** @param {number} index */
export const linkToken = index => `device.mock.bench${index}`

const defaults = { lobbies: 0, links: 0, namespaces: 1 }

/**
 * A scenario with so many lobbies in 12 regions, whose distances are computed as in the default one, so many pending
 * device links, and so many namespaces, each with a public and a development token. The last namespace has the lobbies.
 *
 * @param {{ readonly lobbies?: number, readonly links?: number, readonly namespaces?: number }} counts
 * @returns {import('../../src/core/scenario/schema.js').ScenarioInput}
 */
export function scenarioOf(counts) {
  const { lobbies, links, namespaces } = { ...defaults, ...counts }
  return {
    title: 'Bench',
    client: { latitude: 52.52, longitude: 13.4 },
    regions: ['fra', 'lon', 'ewr', 'tor', 'dca', 'mba', 'atl', 'dfw', 'tok', 'sfo', 'sgp', 'syd'].map(
      id => `lnd-${id}`,
    ),
    games: [
      {
        name_id: 'bench',
        game_id: gameId,
        tokens: { cloud: tokens.cloud },
        namespaces: [
          ...Array.from({ length: namespaces - 1 }, (_, i) => ({ name_id: `other-${i}` })),
          {
            name_id: 'prod',
            tokens: { public: tokens.public },
            game_modes: [
              { game_mode_id: 'duel', max_players: 2 },
              { game_mode_id: 'free-for-all', max_players: 16 },
            ],
            generate: { lobbies },
          },
        ],
      },
    ],
    device_links: Array.from({ length: links }, (_, i) => ({ token: linkToken(i) })),
  }
}

/**
 * Writes values as JSON files into a folder of the system's temporary ones, and removes it when the function is over.
 *
 * @template T
 * @param {(write: (name: string, value: unknown) => string) => Promise<T>} use Is given a function that writes a file and answers its path.
 */
export function withFiles(use) {
  return withFolder(folder =>
    use((name, value) => {
      const file = join(folder, name)
      writeFileSync(file, JSON.stringify(value))
      return file
    }),
  )
}

/**
 * Makes a folder among the system's temporary ones, and removes it when the function is over.
 *
 * @template T
 * @param {(folder: string) => Promise<T>} use
 */
export async function withFolder(use) {
  const folder = mkdtempSync(join(tmpdir(), 'mockmaker-bench-'))
  try {
    return await use(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
