import { Lobbies } from '../lobbies/lobbies.js'
import { LobbyDetails } from '../lobbies/lobby-details.js'
import { WorldMap } from '../map/world-map.js'
import { HeldRequestDetails } from '../requests/held-request.js'
import { RequestDetails } from '../requests/request-details.js'
import { Requests } from '../requests/requests.js'
import { layout } from '../ui/screen.js'
import { page } from '../world/page-state.js'

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
