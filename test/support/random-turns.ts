import fc from 'fast-check'
import type { Tables } from '../../src/store/table.js'
import { startAt } from './tanks.js'

/** One thing that a turn does. */
type Step =
  | { readonly does: 'create game'; readonly id: string; readonly name: string }
  | { readonly does: 'create game by chance'; readonly name: string }
  | { readonly does: 'rename game'; readonly id: string; readonly name: string }
  | { readonly does: 'rename first named'; readonly name: string; readonly to: string }
  | { readonly does: 'delete game'; readonly id: string }
  | { readonly does: 'delete first named'; readonly name: string }
  | { readonly does: 'create token'; readonly token: string; readonly id: string }
  | { readonly does: 'move token'; readonly token: string; readonly id: string }
  | { readonly does: 'delete first token of'; readonly id: string }
  | { readonly does: 'breathe' }
  | { readonly does: 'throw' }

/** A turn: its writes awaited one by one, or begun all at once. */
export interface RandomTurn {
  readonly steps: readonly Step[]
  readonly awaits: 'each' | 'all'
}

const id = fc.constantFrom('g0', 'g1', 'g2', 'g3')
/** So many that most games of a turn have a name of their own, as they must when it ends. */
const name = fc.constantFrom('red', 'green', 'blue', 'white', 'black', 'grey')
const token = fc.constantFrom('t0', 't1', 't2')

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ does: fc.constant('create game' as const), id, name }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('rename game' as const), id, name }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('rename first named' as const), name, to: name }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('delete game' as const), id }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('delete first named' as const), name }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('create token' as const), token, id }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('move token' as const), token, id }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('delete first token of' as const), id }) },
  { weight: 1, arbitrary: fc.constant<Step>({ does: 'breathe' }) },
)
const anyStep = fc.oneof(
  { weight: 15, arbitrary: step },
  { weight: 1, arbitrary: fc.constant<Step>({ does: 'throw' }) },
)
const chanceStep = fc.record({ does: fc.constant('create game by chance' as const), name })
const awaits = fc.constantFrom('each' as const, 'all' as const)

/** Turns that never throw by themselves, though their writes may be refused. */
export const plainTurn: fc.Arbitrary<RandomTurn> = fc.record({ steps: fc.array(step, { maxLength: 5 }), awaits })
/** Turns of which some throw at a random point. */
export const randomTurn: fc.Arbitrary<RandomTurn> = fc.record({ steps: fc.array(anyStep, { maxLength: 5 }), awaits })
/** Turns that draw from the world's chance as well. */
export const chanceTurn: fc.Arbitrary<RandomTurn> = fc.record({
  steps: fc.array(fc.oneof(anyStep, chanceStep), { maxLength: 6 }),
  awaits,
})

/** Plays a turn on the tables of a world. */
export async function play({ steps, awaits }: RandomTurn, tables: Tables): Promise<void> {
  const begun: Promise<unknown>[] = []
  for (const step of steps) {
    const done = playStep(step, tables)
    begun.push(done)
    if (awaits === 'each') await done
  }
  await Promise.all(begun)
}

function playStep(step: Step, { games, tokens }: Tables): Promise<unknown> {
  switch (step.does) {
    case 'create game':
      return games.create({ game_id: step.id, name_id: step.name, ...made })
    case 'create game by chance':
      return games.create({ name_id: step.name })
    case 'rename game':
      return games.update(q => q.where({ game_id: step.id }), {
        data(draft) {
          draft.name_id = step.name
        },
      })
    case 'rename first named':
      return games.update(q => q.where({ name_id: step.name }), {
        data(draft) {
          draft.name_id = step.to
        },
      })
    case 'delete game':
      return games.delete(q => q.where({ game_id: step.id }))
    case 'delete first named':
      return games.delete(q => q.where({ name_id: step.name }))
    case 'create token':
      return tokens.create({ token: step.token, kind: 'cloud', game_id: step.id, expires_at: 1 })
    case 'move token':
      return tokens.update(q => q.where({ token: step.token }), {
        data: draft => void Object.assign(draft, { game_id: step.id }),
      })
    case 'delete first token of':
      return tokens.delete(q => q.where({ game_id: step.id }))
    case 'breathe':
      return Promise.resolve().then(() => {})
    case 'throw':
      throw new Error('a turn that throws')
  }
}

/** What no step changes. */
const made = { created_at: startAt, developer_group_id: 'makers' }

interface Game {
  readonly game_id: string
  readonly name_id: string
  readonly display_name: string
  readonly created_at: number
  readonly developer_group_id: string
}

interface Token {
  readonly token: string
  readonly expires_at: number
  readonly kind: 'cloud'
  readonly game_id: string
}

/** The obvious model of a world: two lists. */
export interface Lists {
  readonly games: readonly Game[]
  readonly tokens: readonly Token[]
}

interface State {
  readonly lists: Lists
  readonly failed: boolean
}

/** The lists at the beginning and after each turn, and whether that failed. */
export function expectedStates(turns: readonly RandomTurn[]): readonly State[] {
  const states: State[] = [{ lists: { games: [], tokens: [] }, failed: false }]
  for (const turn of turns) states.push(expected((states.at(-1) as State).lists, turn))
  return states
}

function expected(lists: Lists, { steps }: RandomTurn): State {
  try {
    const after = steps.reduce(expectedStep, lists)
    const whole = after.tokens.every(token => after.games.some(game => game.game_id === token.game_id))
    const distinct = new Set(after.games.map(game => game.name_id)).size === after.games.length
    return whole && distinct ? { lists: after, failed: false } : { lists, failed: true }
  } catch {
    return { lists, failed: true }
  }
}

function expectedStep({ games, tokens }: Lists, step: Step): Lists {
  switch (step.does) {
    case 'create game': {
      if (games.some(game => game.game_id === step.id)) throw new Error('a game twice')
      return { games: [...games, { game_id: step.id, name_id: step.name, display_name: step.name, ...made }], tokens }
    }
    case 'rename game':
      return { games: games.map(game => (game.game_id === step.id ? { ...game, name_id: step.name } : game)), tokens }
    case 'rename first named': {
      const first = games.find(game => game.name_id === step.name)
      return { games: games.map(game => (game === first ? { ...game, name_id: step.to } : game)), tokens }
    }
    case 'delete game':
      return { games: games.filter(game => game.game_id !== step.id), tokens }
    case 'delete first named': {
      const first = games.find(game => game.name_id === step.name)
      return { games: games.filter(game => game !== first), tokens }
    }
    case 'create token': {
      if (tokens.some(({ token }) => token === step.token)) throw new Error('a token twice')
      return { games, tokens: [...tokens, { token: step.token, expires_at: 1, kind: 'cloud', game_id: step.id }] }
    }
    case 'move token':
      return {
        games,
        tokens: tokens.map(token => (token.token === step.token ? { ...token, game_id: step.id } : token)),
      }
    case 'delete first token of': {
      const first = tokens.find(token => token.game_id === step.id)
      return { games, tokens: tokens.filter(token => token !== first) }
    }
    case 'breathe':
      return { games, tokens }
    default:
      throw new Error('not of the model')
  }
}
