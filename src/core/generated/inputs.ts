// `npm run generate` writes this file from the schemas.
import type { LobbyPort, ServerPorts } from './rows.js'
import type {
  GameTokensInput,
  MatchmakerInput,
  MaxPlayersInput,
  NamespaceTokensInput,
  ScenarioServerPorts,
} from './scenario.js'

/** A new region: its columns. */
export interface RegionInput {
  /** Its id. */
  readonly region_id: string
  /** The company that runs its data centre. Default: Own. */
  readonly provider_display_name?: string | undefined
  /** Its name for players. Default: the region_id. */
  readonly region_display_name?: string | undefined
  /** The place of its data centre. Default: 0, 0. */
  readonly datacenter_coord?:
    | {
        /** Degrees north. */
        latitude: number
        /** Degrees east. */
        longitude: number
      }
    | undefined
  /** Its id on the cloud side, a UUID. Default: that of the catalogue, else from the seed. */
  readonly region_uuid?: string | undefined
}

/** A new game mode: its columns, and keys of a scenario. */
export interface GameModeInput {
  readonly namespace_id?: string | undefined
  /** Its id. */
  readonly game_mode_id: string
  /** The most players by find. */
  readonly max_players_normal?: number | undefined
  /** The most players by join with the id of the lobby. */
  readonly max_players_direct?: number | undefined
  /** The most players as a party. */
  readonly max_players_party?: number | undefined
  /** Ids of the regions that it enables. Default: all of the scenario. */
  readonly regions?: readonly string[] | undefined
  /** true: its lobbies are listed. Default: true. */
  readonly listable?: boolean | undefined
  /** The calls that the mock refuses for its lobbies. Default: none. */
  readonly disabled?: readonly ('find' | 'join' | 'create')[] | undefined
  /** true: find and create may send max_players. Default: true. */
  readonly dynamic_max_players?: boolean | undefined
  /** true: find and create may send tags. Default: true. */
  readonly taggable?: boolean | undefined
  /** The host and ports of its game servers. Default: the namespace's development. */
  readonly ports?: ScenarioServerPorts | undefined
  /** Its game servers. Default: `servers` of the scenario. */
  readonly servers?:
    | 'auto'
    | 'manual'
    | {
        /** The command that starts the game server of a lobby. Default: you start them. */
        command?: string | undefined
        /** Files and folders whose changes restart the game servers. Default: none. */
        watch?: readonly string[] | undefined
        /** A lobby stops if its server has not called ready within this time. Default: 5m. */
        ready_within?: string | number | undefined
      }
    | undefined
  /** A lobby stops if its server has not called ready within this time, in ms. Default: 5 min. */
  readonly ready_within_ms?: number | undefined
  /** The most players of a lobby: one number, or three. */
  readonly max_players?: MaxPlayersInput | undefined
}

/** A new player: its columns, and keys of a scenario. */
export interface PlayerInput {
  /** A token. Default: from the seed. */
  readonly player_token?: string | undefined
  readonly lobby_id: string
  readonly namespace_id?: string | undefined
  /** Its IP address. Default: 127.0.0.1. */
  readonly address?: string | undefined
  /** The session of a simulated player, in ms. */
  readonly session_ms?: number | undefined
  /** reserved and connected players have a seat. Default: connected. */
  readonly status?: 'reserved' | 'connected' | 'expired' | 'removed' | undefined
  /** When a reserved seat is freed. Default: never. */
  readonly expires_at?: string | number | undefined
  /** When the mock connects a reserved player. Default: never. */
  readonly connects_at?: string | number | undefined
  /** When its age limit removes it. Default: never. */
  readonly removes_at?: string | number | undefined
  /** When the mock makes a connected player leave. Default: never. */
  readonly leaves_at?: string | number | undefined
  /** When a player without a seat is deleted. Default: never. */
  readonly forgotten_at?: string | number | undefined
  /** A token. Default: from the seed. */
  readonly token?: string | undefined
}

/** A new lobby: its columns, and keys of a scenario. */
export interface LobbyInput {
  /** Its id. Default: from the seed. */
  readonly lobby_id?: string | undefined
  readonly namespace_id?: string | undefined
  /** Its game mode. Default: the namespace's first. */
  readonly game_mode_id?: string | undefined
  /** Its region. Default: the first one that its game mode enables. */
  readonly region_id?: string | undefined
  /** The most players by find. */
  readonly max_players_normal?: number | undefined
  /** The most players by join with the id of the lobby. */
  readonly max_players_direct?: number | undefined
  /** The most players as a party. */
  readonly max_players_party?: number | undefined
  /** The number of connected players. Default: those in `players`. */
  readonly total_player_count?: number | undefined
  readonly reserved_player_count?: number | undefined
  /** The state that its server reports: any JSON of at most 64 levels. Default: none. */
  readonly state?: unknown
  /** public: it is listed and found. private: only players with its id join it. Default: public. */
  readonly publicity?: 'public' | 'private' | undefined
  /** true: no list and no find has it, and players join it by its id. Default: false. */
  readonly is_closed?: boolean | undefined
  /** Its tags, for find. Default: none. */
  readonly tags?: Record<string, string> | undefined
  /** Its configuration, from its creator. Default: none. */
  readonly lobby_config?: unknown
  /**
   * mock: its game server is simulated. server: a real one. command: the mock has started it. none: the first find
   * or join starts it. Default: mock; server if `servers` is manual, or if the lobby is starting.
   */
  readonly run_by?: 'mock' | 'server' | 'command' | 'none' | undefined
  /** The ports of its own game server. Default: those of its game mode. */
  readonly ports?: readonly LobbyPort[] | undefined
  /** The status of its game server. Default: ready. */
  readonly status?: 'starting' | 'ready' | 'stopped' | undefined
  /** When it stops if its server has not called ready. Default: never. */
  readonly ready_by?: string | number | undefined
  /** When its age limit stops it. Default: never. */
  readonly stops_at?: string | number | undefined
  /** When a stopped lobby is deleted. Default: never. */
  readonly forgotten_at?: string | number | undefined
  /** The most players of a lobby: one number, or three. */
  readonly max_players?: MaxPlayersInput | undefined
  /** The number of its connected players, or the fields of each player. Default: none. */
  readonly players?: number | readonly Omit<PlayerInput, 'lobby_id'>[] | undefined
}

/** New simulated players: their columns, and keys of a scenario. */
export interface SimulationInput {
  readonly namespace_id?: string | undefined
  /** The number of players at once, averaged over a day. Default: 100. */
  readonly concurrent?: number | undefined
  /** The average length of a session. Default: 12m. */
  readonly session_ms?: string | number | undefined
  /** The weights of the game modes, by their ids. Default: all alike. */
  readonly modes?: Record<string, number> | undefined
  /** When the simulation began. Default: when the world begins. */
  readonly began_at?: string | number | undefined
  /** true: players that lobbies only count have become players who leave. Default: false. */
  readonly settled?: boolean | undefined
  /** When the next step is due. Default: the next full five seconds after began_at. */
  readonly next_step_at?: string | number | undefined
  /** The average length of a session. Default: 12m. */
  readonly session?: string | number | undefined
}

/** A new namespace: its columns, and keys of a scenario. */
export interface NamespaceInput {
  /** Its id on the cloud side. Default: from the seed. */
  readonly namespace_id?: string | undefined
  readonly game_id?: string | undefined
  /** Its name in paths, host names and other keys. Default: prod. */
  readonly name_id: string
  /** Its name for people. Default: the name_id, or Production. */
  readonly display_name?: string | undefined
  /** When it was created. Default: when the world begins. */
  readonly created_at?: string | number | undefined
  /** The version of the game that it runs. Default: from the seed. */
  readonly version_id?: string | undefined
  /** true: clients need no token for lobbies and regions. Default: true. */
  readonly tokenless?: boolean | undefined
  /** Host names of its pages. Default: none. */
  readonly domains?: readonly string[] | undefined
  /** The most lobbies at once. Default: 128. */
  readonly lobby_count_max?: number | undefined
  /** The most players from one address. Default: 8, and loopback addresses are not counted. */
  readonly max_players?: number | undefined
  /** The game server of its development tokens, and of game modes without ports. */
  readonly development?: ScenarioServerPorts | undefined
  /** Limits of the namespace. */
  readonly matchmaker?: MatchmakerInput | undefined
  /** Tokens of the namespace. Default: from the seed. */
  readonly tokens?: NamespaceTokensInput | undefined
  /** Its game modes: ids, or whole ones. Default: none. */
  readonly game_modes?: readonly (string | Omit<GameModeInput, 'namespace_id'>)[] | undefined
  /** Its lobbies at the beginning. Default: none. */
  readonly lobbies?: readonly Omit<LobbyInput, 'namespace_id'>[] | undefined
  /** Simulated players or bots. Default: none. */
  readonly players?: Omit<SimulationInput, 'namespace_id'> | undefined
}

/** A new game: its columns, and keys of a scenario. */
export interface GameInput {
  /** Its id on the cloud side. Default: from the seed. */
  readonly game_id?: string | undefined
  /** Its name in paths, host names and other keys. Default: game. */
  readonly name_id: string
  /** Its name for people. Default: the name_id, or Game. */
  readonly display_name?: string | undefined
  /** When it was created. Default: when the world begins. */
  readonly created_at?: string | number | undefined
  /** The group of its developers. Default: from the seed. */
  readonly developer_group_id?: string | undefined
  /** Tokens of the game. Default: from the seed. */
  readonly tokens?: GameTokensInput | undefined
  /** Its namespaces. Default: one, prod. */
  readonly namespaces?:
    | readonly (Omit<NamespaceInput, 'game_id' | 'name_id'> & { readonly name_id?: string | undefined })[]
    | undefined
}

/** A new device link: its columns, and keys of a scenario. */
export interface DeviceLinkInput {
  /** The token with which the device watches the link. Default: from the seed. */
  readonly device_link_token?: string | undefined
  /** Its id. Default: from the seed. */
  readonly device_link_id?: string | undefined
  /** When it expires. Default: never. */
  readonly expires_at?: string | number | undefined
  /** complete: a person has completed it. Default: pending. */
  readonly status?: 'pending' | 'complete' | undefined
  readonly completes?: { readonly at: number; readonly game_id: string } | undefined
  readonly game_id?: string | undefined
  /** The cloud token that the device of a complete link gets. Default: from the seed. */
  readonly cloud_token?: string | undefined
  /** The token with which the device watches the link. Default: from the seed. */
  readonly token?: string | undefined
  /** The name_id of its game. Default: the only game. */
  readonly game?: string | undefined
  /** The time until the world completes it, as in 5s. Default: never. */
  readonly completes_after?: string | number | undefined
  /** When the world completes it. */
  readonly completes_at?: string | number | undefined
  /** The time until it expires, as in 1h. Default: never. */
  readonly expires_after?: string | number | undefined
}

/** The columns of a new token, besides its owner. */
export interface DevelopmentTokenColumns {
  /** The token. */
  readonly token?: string | undefined
  /** When it expires. Default: never. */
  readonly expires_at?: string | number | undefined
  readonly kind: 'development'
  /** The game server of a development token. Default: its namespace's development. */
  readonly development?: ServerPorts | undefined
}

/** The columns of a new token, besides its owner. */
export interface PublicTokenColumns {
  /** The token. */
  readonly token?: string | undefined
  /** When it expires. Default: never. */
  readonly expires_at?: string | number | undefined
  readonly kind: 'public'
}

/** The columns of a new token, besides its owner. */
export interface CloudTokenColumns {
  /** The token. */
  readonly token?: string | undefined
  /** When it expires. Default: never. */
  readonly expires_at?: string | number | undefined
  readonly kind: 'cloud'
}

/** A namespace: its id, or `<game name_id>/<namespace name_id>`. */
export type NamespaceOwner = { readonly namespace_id: string } | { readonly namespace: string }

/** A game: its id, or its `name_id`. */
export type GameOwner = { readonly game_id: string } | { readonly game: string }

/** A new token: its columns, and its owner by id or by name. */
export type TokenInput =
  | (DevelopmentTokenColumns & NamespaceOwner)
  | (PublicTokenColumns & NamespaceOwner)
  | (CloudTokenColumns & GameOwner)
