import { catalogue } from './catalogue.js'
import { checkBearerTokens } from './check-bearer-token.js'
import { checkDeviceLink } from './check-device-link.js'
import { checkNamespace } from './check-namespace.js'
import { type Layout, layoutOf } from './layout.js'
import { namespaceKeys } from './namespace.js'
import { keyProblem, type Problem } from './problem.js'
import { checkReference } from './reference.js'
import { repetitions } from './repetition.js'
import { noNamespace, type Scenario } from './schema.js'

/** All that does not fit together in a scenario whose shape is right. */
export function check(scenario: Scenario): Problem[] {
  const layout = layoutOf(scenario)
  const namespaces = layout.games.flatMap(game => game.namespaces)
  const gameNames = new Set(layout.games.map(game => game.names.name_id))
  const regionIds = new Set(layout.regionIds)
  return [
    ...misplacedKeys(scenario),
    ...repetitions(scenario, layout),
    ...checkRegions(layout),
    ...checkReference({
      path: ['default_namespace'],
      id: scenario.default_namespace === noNamespace ? undefined : scenario.default_namespace,
      owner: 'namespace',
      known: new Set(namespaces.map(namespace => namespace.fullName)),
      reliesOn: { names: true },
    }),
    ...namespaces.flatMap(namespace => checkNamespace(namespace, regionIds)),
    ...(scenario.device_links ?? []).flatMap((link, i) =>
      checkDeviceLink(link, { path: ['device_links', i], gameNames }),
    ),
    ...checkBearerTokens(scenario, layout),
  ]
}

function misplacedKeys(scenario: Scenario): Problem[] {
  if (!scenario.games) return []
  const misplaced = Object.keys(namespaceKeys).filter(key => Object.hasOwn(scenario, key))
  return misplaced.map(key =>
    keyProblem([key], show => {
      const right = show(['games', 0, 'namespaces', 0, key])
      return `stands beside games: it belongs to a namespace, as in ${right}.`
    }),
  )
}

function checkRegions({ regions }: Layout): Problem[] {
  const known = new Set(catalogue.map(region => region.region_id))
  return regions.flatMap((entry, i) => {
    const id = typeof entry === 'string' ? entry : undefined
    return checkReference({ path: ['regions', i], id, owner: 'region of the catalogue', known })
  })
}
