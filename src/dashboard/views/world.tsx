import { HeldRequestDetails } from '../held-request.js'
import { Lobbies } from '../lobbies.js'
import { LobbyDetails } from '../lobby-details.js'
import { page } from '../page-state.js'
import { RequestDetails } from '../request-details.js'
import { Requests } from '../requests.js'
import { layout } from '../screen.js'
import { WorldMap } from '../world-map.js'

/** The map, the lobbies and the requests. A phone shows the requests by themselves. */
export function World() {
  const { view } = page
  const isPhone = layout.value === 'phone'
  return (
    <>
      {!(isPhone && view.value === 'requests') && (
        <div class="stack">
          <WorldMap />
          <Lobbies />
        </div>
      )}
      <LobbyDetails />
      <RequestDetails />
      <HeldRequestDetails />
      {!(isPhone && view.value !== 'requests') && <Requests />}
    </>
  )
}
