import { Random } from '../store/random.js'

/** The ids and tokens that a scenario does not give: each from a stream of the seed with the name of what it belongs to. */
export interface Naming {
  uuid(stream: string): string
  token(stream: string, label: string): string
}

/** `taken` are the ids and tokens that the scenario gives: what is drawn is none of them. */
export function createNaming(seed: number, taken: ReadonlySet<string>): Naming {
  const draw = (stream: string, from: (random: Random) => string) => {
    const random = new Random(seed, stream)
    let drawn = from(random)
    while (taken.has(drawn)) drawn = from(random)
    return drawn
  }
  return {
    uuid: stream => draw(stream, random => random.uuid()),
    token: (stream, label) => draw(stream, random => random.token(label)),
  }
}
