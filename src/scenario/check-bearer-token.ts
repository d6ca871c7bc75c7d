import type { Path } from '../contract/issue.js'
import { knownChoices } from '../contract/nearest.js'
import type { BearerTokenEntry } from './bearer-token.js'
import type { Layout } from './layout.js'
import { keyProblem, type Problem, problem } from './problem.js'
import { checkReference, type KnownIds } from './reference.js'
import type { Scenario } from './schema.js'

/** Whose bearer tokens can be, by name. */
interface Owners {
  readonly game: KnownIds
  readonly namespace: KnownIds
}

/** What does not fit in the list of bearer tokens, and what stands beside it although the list is all of them. */
export function checkBearerTokens({ bearer_tokens, device_links = [] }: Scenario, { games }: Layout): Problem[] {
  if (!bearer_tokens) return []
  const namespaces = games.flatMap(game => game.namespaces)
  const owners = {
    game: new Set(games.map(game => game.names.name_id)),
    namespace: new Set(namespaces.map(namespace => namespace.fullName)),
  }
  return [
    ...[...games, ...namespaces].flatMap(({ path, given }) => (given.tokens ? [besideList([...path, 'tokens'])] : [])),
    ...device_links.flatMap(({ status, cloud_token }, i) =>
      status === 'complete' && cloud_token === undefined
        ? [
            problem(
              ['device_links', i, 'cloud_token'],
              'is missing: beside bearer_tokens none is minted for the link.',
              { whole: [['device_links', i]] },
            ),
          ]
        : [],
    ),
    ...bearer_tokens.flatMap((token, i) => checkOwner(token, { path: ['bearer_tokens', i], owners })),
  ]
}

function besideList(path: Path): Problem {
  return keyProblem(path, 'stands beside bearer_tokens, which is the list of all tokens: move them there.')
}

interface TokenPlace {
  readonly path: Path
  readonly owners: Owners
}

function checkOwner(token: BearerTokenEntry, { path, owners }: TokenPlace): Problem[] {
  const { kind } = token
  const [owner, other] = kind === 'cloud' ? (['game', 'namespace'] as const) : (['namespace', 'game'] as const)
  const id = token[owner]
  const at = [...path, owner]
  const missing = () => `is missing: a ${kind} token is of a ${owner}.${knownChoices('', [...owners[owner].keys()])}`
  return [
    ...(id === undefined ? [problem(at, missing, { whole: [path] })] : []),
    ...checkReference({ path: at, id, owner, known: owners[owner], reliesOn: { names: true } }),
    ...(token[other] === undefined
      ? []
      : [problem([...path, other], `is of no use to a ${kind} token, which is of a ${owner}. Drop it.`)]),
    ...(token.development === undefined || kind === 'development'
      ? []
      : [
          problem(
            [...path, 'development'],
            `is of no use to a ${kind} token: only a development token has one. Drop it.`,
          ),
        ]),
  ]
}
