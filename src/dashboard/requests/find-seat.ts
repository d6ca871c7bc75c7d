import { runAction } from '../ui/screen.js'
import { page } from '../world/page-state.js'

// The finds that the page sends, as a player at the place of the pin.

/** Up to this number of requests, the page says what to try next. */
const mostRequests = 9

/** Tells whether the page invites to a find, or to the next one. */
export function invitesToFind(): boolean {
  const { isReadOnly, isInviting, mode, live } = page
  const { length } = live.exchanges.value
  const isFew = isInviting.value || (length > 0 && length <= mostRequests)
  return isFew && mode.value !== undefined && !isReadOnly.value
}

/** Returns the public token that a find in a mode needs: in a namespace that wants one, or that is one of several. */
export function tokenFor(mode: string | undefined): string | undefined {
  const { gameModes, namespaces, tokens } = page.shown.value.tables
  const id = gameModes.get(mode ?? '')?.namespace_id
  if (id === undefined || (namespaces.size === 1 && namespaces.get(id)?.tokenless)) return undefined
  return [...tokens.values()].find(row => row.kind === 'public' && row.namespace_id === id)?.token
}

/** Sends a find, and opens its answer. The first one opens itself, so the user may have closed it by then. `region`: only there. */
export async function findSeat(mode: string | undefined = page.mode.peek(), region?: string): Promise<void> {
  page.findMode.value = mode
  const token = tokenFor(mode)
  const before = page.beforeRequest()
  await runAction(async () => {
    await page.api.fetch(`${page.api.url}/matchmaker/lobbies/find`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify({ game_modes: [page.modeName()], regions: region === undefined ? undefined : [region] }),
    })
    await page.openNewest(before, ({ operation }) => operation === 'lobbies.find')
  })
}

/** Lets the next find fail as the service does under load. */
export async function failNextFind(): Promise<void> {
  await runAction(async () => {
    await page.api.call('POST /faults', {
      body: { operation: 'lobbies.find', effect: { error: { status: 503 } }, times: 1 },
    })
    return 'The next find fails with 503.'
  })
}
