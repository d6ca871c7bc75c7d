import { type Path, pathText } from '../contract/issue.js'
import { knownChoices } from '../contract/nearest.js'
import type { BearerTokenEntry } from './bearer-token.js'
import type { Layout } from './layout.js'
import { type Problem, problem } from './problem.js'
import { checkReference } from './reference.js'
import type { Scenario } from './schema.js'

/** Whose bearer tokens can be, by name. */
interface Owners {
  readonly game: readonly string[]
  readonly namespace: readonly string[]
}

/** What does not fit in the list of bearer tokens, and what stands beside it although the list is all of them. */
export function checkBearerTokens({ bearer_tokens, device_links = [] }: Scenario, { games }: Layout): Problem[] {
  if (!bearer_tokens) return []
  const namespaces = games.flatMap(game => game.namespaces)
  const owners = {
    game: games.map(game => game.names.name_id),
    namespace: namespaces.map(namespace => namespace.fullName),
  }
  return [
    ...[...games, ...namespaces].flatMap(({ path, given }) => (given.tokens ? [besideList([...path, 'tokens'])] : [])),
    ...device_links.flatMap(({ status, cloud_token }, i) =>
      status === 'complete' && cloud_token === undefined
        ? [problem(['device_links', i, 'cloud_token'], 'is missing: beside bearer_tokens none is minted for the link.')]
        : [],
    ),
    ...bearer_tokens.flatMap((token, i) => checkOwner(token, { path: ['bearer_tokens', i], owners })),
  ]
}

function besideList(path: Path): Problem {
  const text = `${pathText(path)} stands beside bearer_tokens, which is the list of all tokens: move them there.`
  return { path, at: 'key', text }
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
  const missing = `is missing: a ${kind} token is of a ${owner}.${knownChoices('', owners[owner])}`
  return [
    ...(id === undefined ? [problem(at, missing)] : []),
    ...checkReference({ path: at, id, owner, known: owners[owner] }),
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
