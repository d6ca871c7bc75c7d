// The words are plain, friendly and distinct. No pair of them offends: no colours of people, no sizes, no animals that are insults.

const firstWords =
  'Amber Bold Brave Breezy Bright Brisk Calm Careful Cheerful Clever Cosy Crisp Curious Daring Dashing Eager Early Earnest Epic Fancy Fearless Festive Fleet Fresh Friendly Gentle Glad Golden Graceful Grand Happy Helpful Honest Humble Jolly Joyful Keen Kind Lively Loyal Lucky Lunar Mellow Merry Mighty Modest Neat Nimble Noble Patient Peaceful Polite Prime Proud Quick Quiet Rapid Ready Royal Rustic Serene Sharp Shiny Silent Silver Sincere Smart Snowy Solar Spry Steady Stellar Sturdy Sunny Swift Thankful Tidy Trusty Upbeat Valiant Vivid Wise Witty Zesty'.split(
    ' ',
  )

const secondWords =
  'Albatross Badger Bison Bluebird Butterfly Camel Canary Caribou Cheetah Chipmunk Condor Crane Cricket Deer Dolphin Dove Dragonfly Eagle Egret Elk Falcon Ferret Finch Firefly Flamingo Fox Gazelle Gecko Giraffe Hamster Hare Hawk Hedgehog Heron Ibex Ibis Iguana Impala Jackdaw Jaguar Jay Kestrel Koala Lark Lemur Leopard Linnet Lion Llama Lynx Magpie Mallard Marlin Marmot Marten Meerkat Moose Moth Narwhal Newt Ocelot Octopus Oriole Osprey Otter Owl Panda Pangolin Parrot Pelican Penguin Petrel Plover Pony Puffin Puma Quail Rabbit Raven Reindeer Robin Salmon Seahorse Skylark Sparrow Squirrel Starling Stork Swan Tapir Tern Tiger Toucan Trout Turtle Walrus Warbler Wombat Wren Yak Zebra'.split(
    ' ',
  )

/** Returns the name of a player: two words from its token, the same each time. Several tokens may have the same name. */
export function playerName(token: string): string {
  const hash = hashOf(token)
  const first = firstWords[hash % firstWords.length]
  return `${first}${secondWords[Math.floor(hash / firstWords.length) % secondWords.length]}`
}

/** Writes a name for comparison: people write it in any case, and with a space. */
export function plainName(text: string): string {
  return text.toLowerCase().replaceAll(/[\s_-]+/g, '')
}

/** Hashes a text to 32 bits: FNV-1a, and a final mix. Tokens differ in their last letters only. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
