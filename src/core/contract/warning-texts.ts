import type { WarningRule } from './warnings.js'

/** When a world has a warning, for each rule. The page knows only their names. */
export const warningTexts: { readonly [Rule in WarningRule]: string } = {
  'hot loop': 'One client asks one operation more than 20 times a second for 3 s, and gets the same answer.',
  'watch without index':
    'A device link is asked for 5 times in a row without `watch_index`, or with an old one. In a hot loop, that warning takes its place.',
  'no pause after failure':
    'One client repeats a request that fails 5 times in a row for the same reason, without growing pauses. Or it does not wait for `retry-after`.',
  'never connected': 'A seat expires, because the server of its lobby never called `players.connected` for it.',
  'seats unused': 'An address takes 3 seats in a row, and all of them expire.',
  'never ready': 'The server of a lobby has not called `lobbies.ready` after 10 s.',
  'dead port': 'A started server is ready, and nothing listens on the TCP port of its seats.',
  'wrong port': 'A started server is ready, and listens on another port than that of its seats.',
  'seats without ports': 'A game mode opens no ports, so a seat in it has `ports: {}`.',
  'no such call': 'A request has a path that no operation has.',
  'canned answers':
    'A client gets a seat with a development token. Then a client joins that lobby, or the server of a real lobby connects that player.',
  'crowd from one address': 'The limit of players from one address refuses a player.',
  'server ended dirty': 'A started server exits by itself while players have seats in its lobby.',
  'buffered output': 'A started server has written nothing 4 s after it was ready.',
}
