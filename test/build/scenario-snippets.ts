import type * as z from 'zod'
import { FaultEntry } from '../../src/core/contract/faults.js'
import { DeviceLinkEntry, GameEntry, NamespaceEntry, PlayersEntry } from '../../src/core/scenario/entries.js'
import { GameModeEntry, LobbyEntry, PlayerEntry, RegionEntry } from '../../src/core/scenario/matchmaker-entries.js'
import { Scenario } from '../../src/core/scenario/schema.js'
import { ServersInput } from '../../src/core/store/inputs.js'

type Example = readonly [label: string, description: string, entry: unknown]

/** The examples that an editor offers for an entry. They are only in the JSON Schema, so no mock loads them. */
const examples = new Map<z.core.$ZodType, readonly Example[]>([
  [
    Scenario(),
    [
      [
        'scenario',
        'A game mode with a lobby',
        { game_modes: ['duel'], lobbies: [{ game_mode_id: 'duel', region_id: 'lnd-fra' }] },
      ],
    ],
  ],
  [
    ServersInput,
    [
      [
        'game server',
        'A program for each lobby',
        { command: 'node server.mjs', ready_within: '30s', watch: ['server.mjs'] },
      ],
    ],
  ],
  [
    RegionEntry,
    [['region', 'A region outside of the catalogue', { region_id: 'moon', region_display_name: 'The Moon' }]],
  ],
  [
    GameEntry,
    [
      [
        'game',
        'A game with a namespace',
        { name_id: 'tanks', namespaces: [{ name_id: 'prod', game_modes: ['duel'] }] },
      ],
    ],
  ],
  [
    NamespaceEntry,
    [
      [
        'namespace',
        'A namespace with a known token',
        { name_id: 'staging', tokens: { public: 'pub_staging.mock.one' }, game_modes: ['duel'] },
      ],
    ],
  ],
  [
    GameModeEntry,
    [['game mode', 'Two players, in one region', { game_mode_id: 'duel', max_players: 2, regions: ['lnd-fra'] }]],
  ],
  [
    LobbyEntry,
    [
      ['lobby', 'An open lobby', { game_mode_id: 'duel', region_id: 'lnd-fra', total_player_count: 1 }],
      ['full lobby', 'A lobby without a free seat', { game_mode_id: 'duel', max_players: 2, total_player_count: 2 }],
    ],
  ],
  [PlayerEntry, [['player', 'A player on the way to the lobby', { token: 'player.mock.ada', status: 'reserved' }]]],
  [PlayersEntry, [['players', 'Simulated players', { concurrent: 100, session: '12m' }]]],
  [
    DeviceLinkEntry,
    [['device link', 'A link that completes after a while', { token: 'device.mock.sofa', completes_after: '5s' }]],
  ],
  [
    FaultEntry(),
    [
      [
        'error',
        'One request gets an error',
        { operation: 'lobbies.find', effect: { error: { status: 503 } }, times: 1 },
      ],
      ['delay', 'Requests take longer', { operation: 'lobbies.*', effect: { delay: '300ms' } }],
      ['outage', 'A region is down', { region: 'lnd-fra', effect: { outage: true } }],
    ],
  ],
])

/** Returns the `defaultSnippets` of an entry, as VS Code and its language servers read them. */
export function snippetsOf(schema: z.core.$ZodType) {
  return examples.get(schema)?.map(([label, description, entry]) => ({ label, description, body: withTabStops(entry) }))
}

/** Makes each text and number a tab stop: `${1:duel}`. Equal values are one stop. With `^`, an editor inserts a number without quotes. */
function withTabStops(entry: unknown): unknown {
  const stops: unknown[] = []
  const text = JSON.stringify(entry, (_, value: unknown) => {
    if (typeof value !== 'string' && typeof value !== 'number') return value
    if (!stops.includes(value)) stops.push(value)
    return `${typeof value === 'number' ? '^' : ''}\${${stops.indexOf(value) + 1}:${value}}`
  })
  return JSON.parse(text)
}
