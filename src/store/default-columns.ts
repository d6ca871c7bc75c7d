/** The most lobbies of a namespace, and players from one client address, where nobody has said so (PROTOCOL.md B6). */
export const matchmakerDefaults = { lobby_count_max: 128, max_players: 8 } as const

/** The most players of a lobby where the game mode does not say (PROTOCOL.md C). */
export const maxPlayersDefaults = { max_players_normal: 32, max_players_direct: 40, max_players_party: 40 } as const

/** How many players come and go, and for how long one plays, where nobody has said so. */
export const simulationDefaults = { concurrent: 100, session_ms: 720_000 } as const

/** Whose and where a region is where nobody has said so. It is displayed by its id. */
export const regionDefaults = {
  provider_display_name: 'Own',
  datacenter_coord: { latitude: 0, longitude: 0 },
} as const
