import * as fc from 'fast-check'
import { checkKeys, quoted, UsageError } from '../../core/lib/messages.js'
import type { ScenarioInput } from '../../core/scenario/schema.js'

/** Options of `scenario`. All are optional. */
export interface ScenarioOptions {
  /** The maximum number of game modes, or the ids to choose from. Default: 3. */
  readonly modes?: number | readonly string[] | undefined
  /** The maximum number of lobbies, or their range. Default: 5. */
  readonly lobbies?: number | { readonly min?: number | undefined; readonly max?: number | undefined } | undefined
}

const modeNames = ['duel', 'free-for-all', 'race', 'siege', 'practice']
const regions = ['lnd-fra', 'lnd-atl', 'lnd-syd', 'lnd-tok', 'lnd-sfo']
const defaults = { modes: 3, lobbies: 5 }

/** Generates scenarios of one namespace with a frozen clock. Every one loads. Throws `UsageError` for wrong options. */
export function scenario(options: ScenarioOptions = {}): fc.Arbitrary<ScenarioInput> {
  checkKeys(options, ['modes', 'lobbies'])
  const { modes = defaults.modes, lobbies = defaults.lobbies } = options
  const ids = typeof modes === 'number' ? idsOf(modes) : modes
  if (!Array.isArray(ids) || ids.length === 0)
    throw new UsageError(`modes is ${quoted(modes)}: expected a whole number from 1, or a list of ids`)
  const { min, max } = rangeOf(lobbies)
  return fc
    .record({
      seed: fc.nat(),
      enabled: fc.subarray(regions, { minLength: 1 }),
      game_modes: fc.subarray([...new Set(ids)], { minLength: 1 }).chain(chosen => fc.tuple(...chosen.map(gameMode))),
    })
    .chain(({ seed, enabled, game_modes }) =>
      fc.array(lobby(game_modes, enabled), { minLength: min, maxLength: max }).map(list => ({
        seed,
        now: '2026-11-20T20:00:00Z',
        clock: 'frozen' as const,
        regions: enabled,
        game_modes,
        lobbies: list,
      })),
    )
}

type Mode = { readonly game_mode_id: string; readonly max_players: number }

function gameMode(game_mode_id: string): fc.Arbitrary<Mode> {
  return fc.record({ game_mode_id: fc.constant(game_mode_id), max_players: fc.integer({ min: 1, max: 16 }) })
}

function lobby(modes: readonly Mode[], regionIds: readonly string[]) {
  return fc.constantFrom(...modes).chain(({ game_mode_id, max_players }) =>
    fc.record(
      {
        game_mode_id: fc.constant(game_mode_id),
        region_id: fc.constantFrom(...regionIds),
        players: fc.array(fc.record({ status: fc.constantFrom('connected' as const, 'reserved' as const) }), {
          maxLength: Math.min(max_players, 4),
        }),
        publicity: fc.constantFrom('public' as const, 'private' as const),
        is_closed: fc.boolean(),
        state: fc.jsonValue({ maxDepth: 2 }),
        tags: fc.dictionary(fc.constantFrom('map', 'skill'), fc.constantFrom('dust', 'ice'), { noNullPrototype: true }),
      },
      { requiredKeys: ['game_mode_id', 'region_id'], noNullPrototype: true },
    ),
  )
}

function idsOf(count: number): readonly string[] {
  if (!Number.isInteger(count) || count < 1) return []
  return Array.from({ length: count }, (_, i) => modeNames[i] ?? `mode-${i}`)
}

function rangeOf(lobbies: NonNullable<ScenarioOptions['lobbies']>): { readonly min: number; readonly max: number } {
  const range = typeof lobbies === 'number' ? { max: lobbies } : lobbies
  const { min = 0, max = Math.max(min, defaults.lobbies) } = range ?? {}
  if (Number.isInteger(min) && Number.isInteger(max) && min >= 0 && min <= max) return { min, max }
  throw new UsageError(`lobbies is ${quoted(lobbies)}: expected a whole number from 0, or { min, max }`)
}
