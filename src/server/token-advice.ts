import type { Auth } from '../contract/operation.js'
import { lobbyTokenStart } from '../store/lobby-token.js'
import type { TokenRow } from '../store/rows.js'

const shown = 'the mock shows its tokens when it starts and on GET /, in-process as mock.tokens'

/** Lobbies come and go, so that their tokens are not among those that are shown at the start. */
const lobbiesShown =
  'GET /__mock/tokens?kind=lobby shows those of lobbies, in-process mock.lobbyEnvironment(lobbyId).RIVET_TOKEN'

/** Where to find a token that a call of that auth takes. */
export function whereShown(auth: Auth): string {
  return auth === 'lobby' ? `${shown}; ${lobbiesShown}` : shown
}

/** What to do where none has been sent. */
export function howToSend(auth: Auth): string {
  return `send it as "Authorization: Bearer <token>"; ${whereShown(auth)}`
}

/** What to do with a token that nothing here has. */
export function whereOthersAre(token: string): string {
  if (!token.startsWith(lobbyTokenStart)) return shown
  return `its lobby may have stopped more than an hour ago, and is forgotten then; ${lobbiesShown}`
}

const tokens = '/cloud/games/{game_id}/namespaces/{namespace_id}/tokens'

/** What to do with a token that has expired, by its kind. */
export const whereNewOnesAre: { readonly [kind in TokenRow['kind'] | 'device' | 'dev_player']: string } = {
  public: `POST ${tokens}/public mints a new one; or reset the world`,
  development: `POST ${tokens}/development mints a new one; or reset the world`,
  cloud: 'complete a device link, which gives a new one, or reset the world',
  dev_player: 'find, join and create answer a new one to a development token',
  device: 'POST /cloud/devices/links begins a new link',
}
