/** How the tokens of lobbies begin, and no others. */
export const lobbyTokenStart = 'lobby.mock.'

/** The token of a lobby, by which its server is known. It says which, so that it is as lasting as the lobby (PROTOCOL.md B1). */
export function lobbyTokenOf(lobbyId: string): string {
  const encoded = encodeURIComponent(lobbyId).replaceAll(
    /[!'()*~]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return lobbyTokenStart + encoded
}

/** The id of the lobby whose token it is; `undefined` where it is that of none. */
export function lobbyIdIn(token: string): string | undefined {
  if (!token.startsWith(lobbyTokenStart)) return undefined
  try {
    const id = decodeURIComponent(token.slice(lobbyTokenStart.length))
    return lobbyTokenOf(id) === token ? id : undefined
  } catch {
    return undefined
  }
}
