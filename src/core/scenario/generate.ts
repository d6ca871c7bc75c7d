import { SimpleFaker } from '@faker-js/faker'
import type { GameMode, LobbyEntry } from './matchmaker-entries.js'

/** Generates entries of lobbies. The same seed gives the same entries. At least one mode must enable a region. */
export function* generateLobbies(count: number, modes: readonly GameMode[], seed: number): Iterable<LobbyEntry> {
  // Any code may set the seed of the shared instance.
  const faker = new SimpleFaker({ seed })
  const played = faker.helpers.arrayElements(maps, mapCount)
  const places = modes
    .filter(mode => mode.regions.length > 0)
    // By a random rank, so that the favourite region differs between games.
    .map(mode => ({ mode, regions: byRank(faker.helpers.shuffle(mode.regions)) }))
  const favoured = byRank(places)
  for (let i = 0; i < count; i++) {
    const { mode, regions } = faker.helpers.weightedArrayElement(favoured)
    const most = mode.max_players_normal
    const players = playerCount(most, faker)
    const phase = phaseOf(players, most, faker)
    yield {
      game_mode_id: mode.game_mode_id,
      region_id: faker.helpers.weightedArrayElement(regions),
      total_player_count: players,
      state: {
        map: faker.helpers.arrayElement(played),
        host: nickname(faker),
        phase,
        round: phase === 'waiting' ? 1 : faker.number.int({ min: 1, max: 12 }),
      },
    }
  }
}

const mapCount = 8

/** Weights values by rank: 1, 1/2, 1/3 and so on. */
function byRank<T>(values: readonly T[]) {
  return values.map((value, i) => ({ value, weight: 1 / (i + 1) }))
}

/** Draws a number of players. About one lobby in eight is empty, and one in eight is full. */
function playerCount(most: number, faker: SimpleFaker): number {
  const fullness = faker.number.float({ min: -0.15, max: 1.15 })
  return Math.round(Math.min(Math.max(fullness, 0), 1) * most)
}

/** Draws the phase of a match. A lobby that waits for players has a free seat. One player alone waits. */
function phaseOf(players: number, most: number, faker: SimpleFaker): string {
  if (players === 0) return 'waiting'
  if (players === most) return faker.helpers.arrayElement(['running', 'running', 'ending'])
  if (players === 1) return 'waiting'
  return faker.helpers.arrayElement(['waiting', 'running', 'running', 'ending'])
}

/** Draws a name such as SilentOtter, or in one of five cases only Silent. */
function nickname(faker: SimpleFaker): string {
  const first = name(nicknameFirst, faker)
  return faker.number.int({ max: 4 }) === 0 ? first : first + name(nicknameLast, faker)
}

/** Draws as `person` of the whole library does: a sex, and then a name. It has 100 KB more than `SimpleFaker`. */
function name(names: readonly string[], { helpers }: SimpleFaker): string {
  helpers.arrayElement(['female', 'male'])
  return helpers.arrayElement(names)
}

export const nicknameFirst = [
  ...['Ace', 'Amber', 'Ash', 'Blaze', 'Bolt', 'Captain', 'Cinder', 'Comet', 'Copper', 'Crimson', 'Dizzy', 'Dusty'],
  ...['Echo', 'Ember', 'Frosty', 'Fuzzy', 'Ghost', 'Glitch', 'Granny', 'Grim', 'Hazel', 'Indigo', 'Iron', 'Ivory'],
  ...['Jade', 'Jumpy', 'Laser', 'Lucky', 'Luna', 'Mellow', 'Midnight', 'Misty', 'Neon', 'Nova', 'Onyx', 'Pixel'],
  ...['Quick', 'Rocket', 'Rogue', 'Rusty', 'Sable', 'Salty', 'Scarlet', 'Shadow', 'Silent', 'Sleepy', 'Sly', 'Sneaky'],
  ...['Solar', 'Sonic', 'Storm', 'Swift', 'Tiny', 'Turbo', 'Velvet', 'Violet', 'Wild', 'Winter', 'Wobbly', 'Zippy'],
]

export const nicknameLast = [
  ...['Badger', 'Bandit', 'Bear', 'Beetle', 'Bishop', 'Boxer', 'Brawler', 'Cactus', 'Cobra', 'Corsair', 'Coyote'],
  ...['Cyclone', 'Dragon', 'Drake', 'Falcon', 'Ferret', 'Fox', 'Gecko', 'Golem', 'Griffin', 'Hawk', 'Heron', 'Hunter'],
  ...['Jackal', 'Knight', 'Koala', 'Lancer', 'Lynx', 'Mage', 'Magpie', 'Mantis', 'Marten', 'Monk', 'Moose', 'Muffin'],
  ...['Ninja', 'Noodle', 'Otter', 'Owl', 'Paladin', 'Panda', 'Penguin', 'Pilot', 'Pirate', 'Puffin', 'Raccoon'],
  ...['Ranger', 'Raven', 'Scout', 'Shark', 'Sniper', 'Sparrow', 'Spectre', 'Tiger', 'Toad', 'Viper', 'Waffle'],
  ...['Walrus', 'Warden', 'Wizard', 'Wolf', 'Wombat', 'Yak', 'Zebra'],
]

export const maps = [
  ...['Abandoned Quarry', 'Ashfall Basin', 'Black Harbour', 'Bramble Maze', 'Broken Bridge', 'Canyon Run'],
  ...['Castle Yard', 'Cinder Peak', 'Cloud Nine', 'Cold Storage', 'Coral Reef', 'Crystal Cavern', 'Dead End', 'Docks'],
  ...['Dust Bowl', 'Echo Valley', 'Ember Forge', 'Fallen Temple', 'Foggy Marsh', 'Foundry', 'Frostgate', 'Glacier'],
  ...['Grand Bazaar', 'Hollow Hill', 'Iron Works', 'Jungle Ruins', 'Lava Flats', 'Lighthouse', 'Lost Outpost'],
  ...['Lunar Base', 'Meltdown', 'Midtown', 'Monolith', 'Moonlit Bay', 'Neon District', 'Night Market', 'Oasis'],
  ...['Old Mill', 'Orbital', 'Overgrown Lab', 'Pirate Cove', 'Power Plant', 'Rail Yard', 'Red Mesa', 'Rooftops'],
  ...['Salt Mine', 'Shipwreck', 'Silent Forest', 'Skyway', 'Snowline', 'Stormwatch', 'Sunken City', 'Terminal'],
  ...['The Arena', 'The Vault', 'Thunder Pass', 'Tidal Cave', 'Titan Dam', 'Tower Top', 'Undercroft', 'Windfarm'],
]
