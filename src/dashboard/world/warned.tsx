import { computed, type Signal, signal } from '@preact/signals'
import type { Warning } from '../../core/control/warnings/warning.js'
import { Button } from '../ui/controls.js'
import { Icon } from '../ui/icons.js'
import type { Opened } from './address.js'
import { page } from './page-state.js'

// What the warnings of the world are about. Its rows have a mark, wherever the page lists them.

/** Returns the newest warning of each thing that `of` names. */
function newestBy<Key>(of: (warning: Warning) => readonly Key[]) {
  return computed(
    () =>
      new Map(page.live.warnings.value.warnings.flatMap(warning => of(warning).map(key => [key, warning] as const))),
  )
}

/** The warnings by the ids of the requests that prove them. */
export const warnedRequests = newestBy(({ requests }) => requests)
/** The warnings by the ids of lobbies. They are about their game servers, too. */
export const warnedLobbies = newestBy(({ lobby_id }) => (lobby_id === undefined ? [] : [lobby_id]))
/** The warnings by the tokens of players. */
export const warnedPlayers = newestBy(({ players = [] }) => players)

/** The warning whose requests, and whose marks on the timeline, stand out. */
export const markedWarning: Signal<Warning | undefined> = signal(undefined)

/** Returns the newest warning about a thing that the details show. */
function warningOf({ kind, id }: Opened): Warning | undefined {
  if (kind === 'request') return warnedRequests.value.get(id)
  if (kind === 'player') return warnedPlayers.value.get(id)
  return warnedLobbies.value.get(id)
}

/** The newest warning about what the details show, and the way to all warnings. */
export function OpenedWarning() {
  const warning = page.opened.value && warningOf(page.opened.value)
  if (!warning) return null
  return (
    <p class="block warned">
      <WarningMark of={warning} /> {warning.sentence}{' '}
      <Button class="link" onClick={() => page.show('warnings')}>
        Show the warnings
      </Button>
    </p>
  )
}

/** The triangle beside the name of a thing that a warning is about. */
export function WarningMark({ of: warning }: { readonly of: Warning | undefined }) {
  if (!warning) return null
  return (
    <span class="warn" role="img" aria-label="Warning" title={warning.sentence}>
      <Icon name="warning" />
    </span>
  )
}
