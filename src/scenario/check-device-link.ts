import type { Path } from '../contract/issue.js'
import { knownChoices } from '../contract/nearest.js'
import type { DeviceLinkEntry } from './device-link.js'
import { type Problem, problem } from './problem.js'
import { checkReference } from './reference.js'

interface LinkPlace {
  readonly path: Path
  readonly gameNames: readonly string[]
}

/** What does not fit in a device link. */
export function checkDeviceLink(link: DeviceLinkEntry, { path, gameNames }: LinkPlace): Problem[] {
  const { game, status, completes_after } = link
  const at = [...path, 'game']
  const completes = status === 'complete' || completes_after !== undefined
  const unclear = game === undefined && completes && gameNames.length !== 1
  return [
    ...(unclear ? [problem(at, `is missing, and there is not one game alone.${knownChoices('', gameNames)}`)] : []),
    ...checkReference({ path: at, id: game, owner: 'game', known: gameNames }),
    ...(status === 'complete' && completes_after !== undefined
      ? [problem([...path, 'completes_after'], 'is of no use to a link whose status is complete. Drop one of the two.')]
      : []),
  ]
}
