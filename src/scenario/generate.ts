import { Draws, type Weighted } from './draws.js'
import type { GameMode, LobbyEntry } from './matchmaker-entries.js'

/** Generates entries of lobbies. The same seed gives the same entries. At least one mode must enable a region. */
export function* generateLobbies(count: number, modes: readonly GameMode[], seed: number): Iterable<LobbyEntry> {
  const draws = new Draws(seed)
  const played = draws.sample(maps, mapCount)
  const places = modes
    .filter(mode => mode.regions.length > 0)
    .map(mode => ({ mode, regions: byRank(draws.shuffle(mode.regions)) }))
  const favoured = byRank(places)
  for (let i = 0; i < count; i++) {
    const { mode, regions } = draws.pickWeighted(favoured)
    const players = playerCount(mode.max_players_normal, draws)
    yield {
      game_mode_id: mode.game_mode_id,
      region_id: draws.pickWeighted(regions),
      total_player_count: players,
      state: {
        map: draws.pick(played),
        host: nickname(draws),
        phase: players === 0 ? 'waiting' : draws.pick(phases),
        round: draws.int(1, 12),
      },
    }
  }
}

const mapCount = 8

/** Weights values by rank: 1, 1/2, 1/3 and so on. */
function byRank<T>(values: readonly T[]): Weighted<T>[] {
  return values.map((value, i) => ({ value, weight: 1 / (i + 1) }))
}

/** Draws a number of players. About one lobby in eight is empty, and one in eight is full. */
function playerCount(most: number, draws: Draws): number {
  return Math.round(Math.min(Math.max(draws.float(-0.15, 1.15), 0), 1) * most)
}

/** Draws a nickname, such as `Ace42`, `Ace_Badger` or `Ace.Badger42`. Equals `internet.displayName` of `@faker-js/faker`. */
function nickname(draws: Draws): string {
  const [first, last] = [namePart(nicknameFirst, draws), namePart(nicknameLast, draws)]
  const [mark, number] = [draws.pick(['.', '_']), draws.int(0, 99)]
  return draws.pick([`${first}${number}`, `${first}${mark}${last}`, `${first}${mark}${last}${number}`])
}

function namePart(names: readonly string[], draws: Draws): string {
  draws.int(0, 1) // the library draws a sex first
  return draws.pick(names)
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
  ...[
    'Ranger',
    'Raven',
    'Scout',
    'Shark',
    'Sniper',
    'Sparrow',
    'Spectre',
    'Tiger',
    'Toad',
    'Viper',
    'Waffle',
    'Walrus',
  ],
  ...['Warden', 'Wizard', 'Wolf', 'Wombat', 'Yak', 'Zebra'],
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

/** The phases of a match. `running` is twice as frequent. */
const phases = ['waiting', 'running', 'running', 'ending']
