import { validateNamespace } from '../behaviour/validate-namespace.js'
import { displayNameMaxBytes, identifierMaxBytes, utf8Length } from '../contract/formats.js'
import { quoted } from '../lib/quote.js'
import type { ExplainedOf, Explanation, Question } from './explanation.js'
import { gameCalled } from './game-called.js'

/** Names that pass, for those that a question does not give. */
const passing = { name_id: 'a', display_name: 'A' } as const

/** Why the names of a namespace to be pass, or do not. Throws `UsageError` for a game that is none. */
export function explainName({ view }: Pick<ExplainedOf, 'view'>, question: Question): Explanation {
  const { tables } = view
  const { game: asked, name_id = passing.name_id, display_name = passing.display_name } = question
  const [first] = tables.games.all()
  const game = asked === undefined ? first : gameCalled(asked, tables)
  const input = { name_id, display_name, game_id: game?.game_id ?? '' }
  const { errors } = validateNamespace({ caller: { kind: 'device' }, input, ...view })
  const said = { name_id, display_name, game: game?.name_id ?? 'any game' }
  const because = errors
    .map(({ path }) => path.join('.'))
    // Of a name that was not asked for, nothing is said.
    .filter(problem =>
      problem.startsWith('name-id') ? question.name_id !== undefined : question.display_name !== undefined,
    )
    .map(problem => [problem, sayings[problem]?.(said)].filter(text => text !== undefined).join(': '))
  if (because.length > 0) return { verdict: 'does not pass', because }
  return { verdict: 'passes', because: [`nothing is against it, and no namespace of ${said.game} has that name_id`] }
}

interface Said {
  readonly name_id: string
  readonly display_name: string
  readonly game: string
}

const sayings: { readonly [problem: string]: (said: Said) => string } = {
  'display-name.too-short': () => 'it is empty',
  'display-name.too-long': ({ display_name }) =>
    `it has ${utf8Length(display_name)} bytes of UTF-8, and may have ${displayNameMaxBytes}`,
  'display-name.invalid': ({ display_name }) =>
    `${quoted(display_name)} is no display name: 1 to 128 bytes of UTF-8, and no white space but single spaces inside`,
  'name-id.too-short': () => 'it is empty',
  'name-id.too-long': ({ name_id }) =>
    `it has ${utf8Length(name_id)} bytes of UTF-8, and may have ${identifierMaxBytes}`,
  'name-id.not-unique': ({ name_id, game }) => `a namespace of the game ${game} is called ${quoted(name_id)} already`,
  'name-id.invalid': ({ name_id }) =>
    `${quoted(name_id)} is no identifier: 1 to 16 of 0-9 a-z and -, with single - inside only`,
}
