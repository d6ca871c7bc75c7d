import type { Path } from '../contract/issue.js'
import { knownChoices } from '../contract/nearest.js'
import type { DeviceLinkEntry } from './device-link.js'
import { type Problem, problem } from './problem.js'
import { checkReference, type KnownIds } from './reference.js'

interface LinkPlace {
  readonly path: Path
  readonly gameNames: KnownIds & { readonly size: number }
}

/** What does not fit in a device link. */
export function checkDeviceLink(link: DeviceLinkEntry, { path, gameNames }: LinkPlace): Problem[] {
  const { game, status } = link
  const at = [...path, 'game']
  const completes = status === 'complete' || link.completes_after !== undefined || link.completes_at !== undefined
  const unclear = game === undefined && completes && gameNames.size !== 1
  return [
    ...(unclear
      ? [
          problem(at, () => `is missing, and there is not one game alone.${knownChoices('', [...gameNames.keys()])}`, {
            whole: [path],
            names: true,
          }),
        ]
      : []),
    ...checkReference({ path: at, id: game, owner: 'game', known: gameNames, reliesOn: { names: true } }),
    ...checkStatus(link, path),
    ...checkMoment(link, { path, keys: ['completes_at', 'completes_after'] }),
    ...checkMoment(link, { path, keys: ['expires_at', 'expires_after'] }),
  ]
}

type LinkKey = keyof DeviceLinkEntry

/** The keys that say nothing of a link with the other status. */
const keysOf: { readonly [Status in NonNullable<DeviceLinkEntry['status']>]: readonly LinkKey[] } = {
  pending: ['completes_after', 'completes_at'],
  complete: ['cloud_token'],
}

function checkStatus(link: DeviceLinkEntry, path: Path): Problem[] {
  const { status = 'pending' } = link
  const useless = keysOf[status === 'complete' ? 'pending' : 'complete'].filter(key => link[key] !== undefined)
  const remedy = status === 'complete' ? 'Drop one of the two.' : 'Say status: complete, or drop it.'
  return useless.map(key =>
    problem([...path, key], `is of no use to a link whose status is ${status}. ${remedy}`, {
      whole: [[...path, 'status']],
    }),
  )
}

interface MomentPlace {
  readonly path: Path
  /** Two ways to say it. */
  readonly keys: readonly [LinkKey, LinkKey]
}

function checkMoment(link: DeviceLinkEntry, { path, keys }: MomentPlace): Problem[] {
  const [at, after] = keys
  if (link[at] === undefined || link[after] === undefined) return []
  return [problem([...path, at], show => `stands beside ${show([...path, after])}: say it in one of the two ways.`)]
}
