import type { LocaleDefinition } from '@faker-js/faker'

/** The first part of a nickname. */
export const nicknameFirst = [
  ...['Ace', 'Amber', 'Ash', 'Blaze', 'Bolt', 'Captain', 'Cinder', 'Comet', 'Copper', 'Crimson', 'Dizzy', 'Dusty'],
  ...['Echo', 'Ember', 'Frosty', 'Fuzzy', 'Ghost', 'Glitch', 'Granny', 'Grim', 'Hazel', 'Indigo', 'Iron', 'Ivory'],
  ...['Jade', 'Jumpy', 'Laser', 'Lucky', 'Luna', 'Mellow', 'Midnight', 'Misty', 'Neon', 'Nova', 'Onyx', 'Pixel'],
  ...['Quick', 'Rocket', 'Rogue', 'Rusty', 'Sable', 'Salty', 'Scarlet', 'Shadow', 'Silent', 'Sleepy', 'Sly', 'Sneaky'],
  ...['Solar', 'Sonic', 'Storm', 'Swift', 'Tiny', 'Turbo', 'Velvet', 'Violet', 'Wild', 'Winter', 'Wobbly', 'Zippy'],
]

const nicknameLast = [
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

/** What the maps of a game are called. */
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

/** How far a match is; a running one is twice as frequent. */
export const phases = ['waiting', 'running', 'running', 'ending']

/** The locale of generated lobbies: nicknames instead of people's names. The library's own locales are many times larger. */
export const gameLocale: LocaleDefinition = {
  metadata: { title: 'Games', code: 'en', language: 'en', endonym: 'English', dir: 'ltr', script: 'Latn' },
  person: { first_name: { generic: nicknameFirst }, last_name: { generic: nicknameLast } },
}
