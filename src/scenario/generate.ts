import { Faker } from '@faker-js/faker'
import { gameLocale, maps, phases } from './game-locale.js'
import type { Mode } from './game-mode.js'
import type { LobbyEntry } from './lobby.js'

/** What lobbies are made of. */
interface Generation {
  readonly count: number
  /** At least one of them enables a region. */
  readonly modes: readonly Mode[]
  readonly seed: number
}

/** Generates lobbies as a scenario would list them, one by one: the same ones from the same seed. */
export function* generateLobbies({ count, modes, seed }: Generation): Iterable<LobbyEntry> {
  // An instance of our own: the seed of a shared one would belong to everybody.
  const faker = new Faker({ locale: gameLocale, seed })
  const played = faker.helpers.arrayElements(maps, mapCount)
  const places = modes
    .filter(mode => mode.regions.length > 0)
    .map(mode => ({ mode, regions: byFavour(mode.regions, faker) }))
  const favoured = byRank(places)
  for (let i = 0; i < count; i++) {
    const { mode, regions } = faker.helpers.weightedArrayElement(favoured)
    const players = playerCount(mode.max_players_normal, faker)
    yield {
      game_mode_id: mode.game_mode_id,
      region_id: faker.helpers.weightedArrayElement(regions),
      total_player_count: players,
      state: {
        map: faker.helpers.arrayElement(played),
        host: faker.internet.displayName(),
        phase: players === 0 ? 'waiting' : faker.helpers.arrayElement(phases),
        round: faker.number.int({ min: 1, max: 12 }),
      },
    }
  }
}

const mapCount = 8

interface Weighted<T> {
  readonly value: T
  readonly weight: number
}

/** The first is the favourite, the second is half as popular, the third a third: as players spread themselves. */
function byRank<T>(values: readonly T[]): Weighted<T>[] {
  return values.map((value, i) => ({ value, weight: 1 / (i + 1) }))
}

/** By rank in an order of chance, so that not every game has its players in the first region of the catalogue. */
function byFavour<T>(values: readonly T[], faker: Faker): Weighted<T>[] {
  return byRank(faker.helpers.shuffle(values))
}

/** One lobby in eight is empty, one in eight is full; the others are anywhere between. */
function playerCount(most: number, faker: Faker): number {
  const fullness = faker.number.float({ min: -0.15, max: 1.15 })
  return Math.round(Math.min(Math.max(fullness, 0), 1) * most)
}
