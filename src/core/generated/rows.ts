// `npm run generate` writes this file from the schemas.
import type { ProxyProtocol } from './operations.js'

/** A port of a game server. */
export interface LobbyPort {
  /** The name of the port for clients. */
  label: string
  /** The one port. A server that the mock starts gets a free one instead. */
  target_port?: number | undefined
  /** The one port, also of a server that the mock starts: one runs at a time. */
  fixed?: number | undefined
  /** Ports from min to max, in place of target_port. */
  port_range?:
    | {
        /** The first port. */
        min: number
        /** The last port. */
        max: number
      }
    | undefined
  /** The protocol by which clients reach the port. */
  proxy_protocol: ProxyProtocol
}

/** The host of a game server, and the ports that it opens. An object without keys says that it opens none. */
export interface ServerPorts {
  /**
   * The host of game servers, with {lobby_id}, {region_id} and {label} filled in. Default: that of the client's
   * request.
   */
  hostname?: string | undefined
  /** The ports that they open. Default: one, default, with the target_port 7777. An empty list: none. */
  lobby_ports?: LobbyPort[] | undefined
}

/** The settings of a world. The table has one row. */
export interface SettingsRow {
  settings_id: 'settings'
  /** The place of the player. Default: unknown, and distances are 0. */
  client?:
    | {
        /** Degrees north. */
        latitude: number
        /** Degrees east. */
        longitude: number
      }
    | undefined
  /**
   * true: as in the real service, lists leave out empty lobbies, but not the only one of a game mode. Default:
   * false.
   */
  hide_empty_lobbies: boolean
  servers: 'auto' | 'manual'
  /** A lobby stops if its server has not called ready within this time, in ms. Default: 5 min. */
  ready_within_ms?: number | undefined
  /** The pages of a game are at <game>.<cdn_domain>. Default: mock.localhost. */
  cdn_domain: string
  /** The rules of warnings to turn off. Default: none. */
  warnings?:
    | {
        /**
         * off: no warning. Without it: One client asks one operation more than 20 times a second for 3 s, and gets the
         * same answer.
         */
        'hot loop'?: 'off' | undefined
        /**
         * off: no warning. Without it: A device link is asked for 5 times in a row without `watch_index`, or with an old
         * one. In a hot loop, that warning takes its place.
         */
        'watch without index'?: 'off' | undefined
        /**
         * off: no warning. Without it: One client repeats a request that fails 5 times in a row for the same reason,
         * without growing pauses. Or it does not wait for `retry-after`.
         */
        'no pause after failure'?: 'off' | undefined
        /**
         * off: no warning. Without it: A seat expires, because the server of its lobby never called `players.connected`
         * for it.
         */
        'never connected'?: 'off' | undefined
        /** off: no warning. Without it: An address takes 3 seats in a row, and all of them expire. */
        'seats unused'?: 'off' | undefined
        /** off: no warning. Without it: The server of a lobby has not called `lobbies.ready` after 10 s. */
        'never ready'?: 'off' | undefined
        /** off: no warning. Without it: A started server is ready, and nothing listens on the TCP port of its seats. */
        'dead port'?: 'off' | undefined
        /** off: no warning. Without it: A started server is ready, and listens on another port than that of its seats. */
        'wrong port'?: 'off' | undefined
        /** off: no warning. Without it: A game mode opens no ports, so a seat in it has `ports: {}`. */
        'seats without ports'?: 'off' | undefined
        /** off: no warning. Without it: A request has a path that no operation has. */
        'no such call'?: 'off' | undefined
        /**
         * off: no warning. Without it: A client gets a seat with a development token. Then a client joins that lobby, or
         * the server of a real lobby connects that player.
         */
        'canned answers'?: 'off' | undefined
        /** off: no warning. Without it: The limit of players from one address refuses a player. */
        'crowd from one address'?: 'off' | undefined
        /** off: no warning. Without it: A started server exits by itself while players have seats in its lobby. */
        'server ended dirty'?: 'off' | undefined
        /** off: no warning. Without it: A started server has written nothing 4 s after it was ready. */
        'buffered output'?: 'off' | undefined
      }
    | undefined
  default_namespace_id?: string | undefined
  /** The address of the mock in links. It has no slash at its end. */
  public_url: string
}

/** A game. */
export interface GameRow {
  /** Its id on the cloud side. Default: from the seed. */
  game_id: string
  /** Its name in paths, host names and other keys. */
  name_id: string
  /** Its name for people. Default: the name_id. */
  display_name: string
  /** When it was created. Default: when the world begins. */
  created_at: number
  /** The group of its developers. Default: from the seed. */
  developer_group_id: string
}

/** A namespace of a game. */
export interface NamespaceRow {
  /** Its id on the cloud side. Default: from the seed. */
  namespace_id: string
  game_id: string
  /** Its name in paths, host names and other keys. */
  name_id: string
  /** Its name for people. Default: the name_id. */
  display_name: string
  /** When it was created. Default: when the world begins. */
  created_at: number
  /** The version of the game that it runs. Default: from the seed. */
  version_id: string
  /** true: clients need no token for lobbies and regions. Default: true. */
  tokenless: boolean
  /** Host names of its pages. Default: none. */
  domains: string[]
  /** The most lobbies at once. Default: 128. */
  lobby_count_max: number
  /** The most players from one address. Default: 8, and loopback addresses are not counted. */
  max_players?: number | undefined
  /** The game server of its development tokens, and of game modes without ports. */
  development?: ServerPorts | undefined
}

/** A region of data centres. */
export interface RegionRow {
  /** Its id. */
  region_id: string
  /** The company that runs its data centre. Default: Own. */
  provider_display_name: string
  /** Its name for players. Default: the region_id. */
  region_display_name: string
  /** The place of its data centre. Default: 0, 0. */
  datacenter_coord: {
    /** Degrees north. */
    latitude: number
    /** Degrees east. */
    longitude: number
  }
  /** Its id on the cloud side, a UUID. Default: that of the catalogue, else from the seed. */
  region_uuid: string
}

/** A game mode of a namespace. Its id is unique in the namespace only. */
export interface GameModeRow {
  namespace_id: string
  /** Its id. */
  game_mode_id: string
  /** The most players by find. */
  max_players_normal: number
  /** The most players by join with the id of the lobby. */
  max_players_direct: number
  /** The most players as a party. */
  max_players_party: number
  /** Ids of the regions that it enables. Default: all of the scenario. */
  regions: string[]
  /** true: its lobbies are listed. Default: true. */
  listable: boolean
  /** The calls that the mock refuses for its lobbies. Default: none. */
  disabled?: ('find' | 'join' | 'create')[] | undefined
  /** true: find and create may send max_players. Default: true. */
  dynamic_max_players?: boolean | undefined
  /** true: find and create may send tags. Default: true. */
  taggable?: boolean | undefined
  /** The host and ports of its game servers. Default: the namespace's development. */
  ports?: ServerPorts | undefined
  /**
   * auto: the mock simulates its game servers. manual: its lobbies wait for real ones. Default: the scenario's
   * `servers`.
   */
  servers?: 'auto' | 'manual' | undefined
  /** A lobby stops if its server has not called ready within this time, in ms. Default: 5 min. */
  ready_within_ms?: number | undefined
}

/** The simulated players of a namespace. */
export interface SimulationRow {
  namespace_id: string
  /** The number of players at once, averaged over a day. Default: 100. */
  concurrent: number
  /** The average length of a session. Default: 12m. */
  session_ms: number
  /** The weights of the game modes, by their ids. Default: all alike. */
  modes?: Record<string, number> | undefined
  /** When the simulation began. Default: when the world begins. */
  began_at: number
  /** true: players that lobbies only count have become players who leave. Default: false. */
  settled: boolean
  /** When the next step is due. Default: the next full five seconds after began_at. */
  next_step_at?: number | undefined
}

/** A lobby whose game server has not called ready yet. */
export interface StartingLobbyRow {
  /** Its id. Default: from the seed. */
  lobby_id: string
  namespace_id: string
  /** Its game mode. Default: the namespace's first. */
  game_mode_id: string
  /** Its region. Default: the first one that its game mode enables. */
  region_id: string
  /** The most players by find. */
  max_players_normal: number
  /** The most players by join with the id of the lobby. */
  max_players_direct: number
  /** The most players as a party. */
  max_players_party: number
  /** The number of connected players. Default: those in `players`. */
  total_player_count: number
  reserved_player_count: number
  /** The state that its server reports: any JSON of at most 64 levels. Default: none. */
  state?: unknown
  /** public: it is listed and found. private: only players with its id join it. Default: public. */
  publicity: 'public' | 'private'
  /** true: no list and no find has it, and players join it by its id. Default: false. */
  is_closed: boolean
  /** Its tags, for find. Default: none. */
  tags?: Record<string, string> | undefined
  /** Its configuration, from its creator. Default: none. */
  lobby_config?: unknown
  run_by: 'server' | 'command'
  /** The ports of its own game server. Default: those of its game mode. */
  ports?: LobbyPort[] | undefined
  status: 'starting'
  /** When it stops if its server has not called ready. Default: never. */
  ready_by?: number | undefined
  /** When its age limit stops it. Default: never. */
  stops_at?: number | undefined
}

/** A lobby whose game server runs. */
export interface ReadyLobbyRow {
  /** Its id. Default: from the seed. */
  lobby_id: string
  namespace_id: string
  /** Its game mode. Default: the namespace's first. */
  game_mode_id: string
  /** Its region. Default: the first one that its game mode enables. */
  region_id: string
  /** The most players by find. */
  max_players_normal: number
  /** The most players by join with the id of the lobby. */
  max_players_direct: number
  /** The most players as a party. */
  max_players_party: number
  /** The number of connected players. Default: those in `players`. */
  total_player_count: number
  reserved_player_count: number
  /** The state that its server reports: any JSON of at most 64 levels. Default: none. */
  state?: unknown
  /** public: it is listed and found. private: only players with its id join it. Default: public. */
  publicity: 'public' | 'private'
  /** true: no list and no find has it, and players join it by its id. Default: false. */
  is_closed: boolean
  /** Its tags, for find. Default: none. */
  tags?: Record<string, string> | undefined
  /** Its configuration, from its creator. Default: none. */
  lobby_config?: unknown
  /**
   * mock: its game server is simulated. server: a real one. command: the mock has started it. none: the first find
   * or join starts it. Default: mock; server if `servers` is manual, or if the lobby is starting.
   */
  run_by: 'mock' | 'server' | 'command' | 'none'
  /** The ports of its own game server. Default: those of its game mode. */
  ports?: LobbyPort[] | undefined
  status: 'ready'
  /** When its age limit stops it. Default: never. */
  stops_at?: number | undefined
}

/** A lobby that has stopped. */
export interface StoppedLobbyRow {
  /** Its id. Default: from the seed. */
  lobby_id: string
  namespace_id: string
  /** Its game mode. Default: the namespace's first. */
  game_mode_id: string
  /** Its region. Default: the first one that its game mode enables. */
  region_id: string
  /** The most players by find. */
  max_players_normal: number
  /** The most players by join with the id of the lobby. */
  max_players_direct: number
  /** The most players as a party. */
  max_players_party: number
  /** The number of connected players. Default: those in `players`. */
  total_player_count: number
  reserved_player_count: number
  /** The state that its server reports: any JSON of at most 64 levels. Default: none. */
  state?: unknown
  /** public: it is listed and found. private: only players with its id join it. Default: public. */
  publicity: 'public' | 'private'
  /** true: no list and no find has it, and players join it by its id. Default: false. */
  is_closed: boolean
  /** Its tags, for find. Default: none. */
  tags?: Record<string, string> | undefined
  /** Its configuration, from its creator. Default: none. */
  lobby_config?: unknown
  /**
   * mock: its game server is simulated. server: a real one. command: the mock has started it. none: the first find
   * or join starts it. Default: mock; server if `servers` is manual, or if the lobby is starting.
   */
  run_by: 'mock' | 'server' | 'command' | 'none'
  /** The ports of its own game server. Default: those of its game mode. */
  ports?: LobbyPort[] | undefined
  status: 'stopped'
  /** When a stopped lobby is deleted. Default: never. */
  forgotten_at?: number | undefined
}

/** A player with a seat who has not connected yet. */
export interface ReservedPlayerRow {
  /** A token. Default: from the seed. */
  player_token: string
  lobby_id: string
  namespace_id: string
  /** Its IP address. Default: 127.0.0.1. */
  address: string
  /** The session of a simulated player, in ms. */
  session_ms?: number | undefined
  status: 'reserved'
  /** When a reserved seat is freed. Default: never. */
  expires_at?: number | undefined
  /** When the mock connects a reserved player. Default: never. */
  connects_at?: number | undefined
  /** When its age limit removes it. Default: never. */
  removes_at?: number | undefined
}

/** A player who is connected to the game server. */
export interface ConnectedPlayerRow {
  /** A token. Default: from the seed. */
  player_token: string
  lobby_id: string
  namespace_id: string
  /** Its IP address. Default: 127.0.0.1. */
  address: string
  /** The session of a simulated player, in ms. */
  session_ms?: number | undefined
  status: 'connected'
  /** When the mock makes a connected player leave. Default: never. */
  leaves_at?: number | undefined
  /** When its age limit removes it. Default: never. */
  removes_at?: number | undefined
}

/** A player who did not connect in time. */
export interface ExpiredPlayerRow {
  /** A token. Default: from the seed. */
  player_token: string
  lobby_id: string
  namespace_id: string
  /** Its IP address. Default: 127.0.0.1. */
  address: string
  /** The session of a simulated player, in ms. */
  session_ms?: number | undefined
  status: 'expired'
  /** When a player without a seat is deleted. Default: never. */
  forgotten_at?: number | undefined
}

/** A player who has left, or was removed. */
export interface RemovedPlayerRow {
  /** A token. Default: from the seed. */
  player_token: string
  lobby_id: string
  namespace_id: string
  /** Its IP address. Default: 127.0.0.1. */
  address: string
  /** The session of a simulated player, in ms. */
  session_ms?: number | undefined
  status: 'removed'
  /** When a player without a seat is deleted. Default: never. */
  forgotten_at?: number | undefined
}

/** A device link that nobody has completed yet. */
export interface PendingDeviceLinkRow {
  /** The token with which the device watches the link. Default: from the seed. */
  device_link_token: string
  /** Its id. Default: from the seed. */
  device_link_id: string
  /** When it expires. Default: never. */
  expires_at?: number | undefined
  status: 'pending'
  completes?:
    | {
        at: number
        game_id: string
      }
    | undefined
}

/** A device link that a person has completed. */
export interface CompleteDeviceLinkRow {
  /** The token with which the device watches the link. Default: from the seed. */
  device_link_token: string
  /** Its id. Default: from the seed. */
  device_link_id: string
  /** When it expires. Default: never. */
  expires_at?: number | undefined
  status: 'complete'
  game_id: string
  /** The cloud token that the device of a complete link gets. Default: from the seed. */
  cloud_token: string
}

/** A development token of a namespace. */
export interface DevelopmentTokenRow {
  /** The token. */
  token: string
  /** When it expires. Default: never. */
  expires_at?: number | undefined
  kind: 'development'
  namespace_id: string
  /** The game server of a development token. Default: its namespace's development. */
  development?: ServerPorts | undefined
}

/** A public token of a namespace. */
export interface PublicTokenRow {
  /** The token. */
  token: string
  /** When it expires. Default: never. */
  expires_at?: number | undefined
  kind: 'public'
  namespace_id: string
}

/** A cloud token of a game. */
export interface CloudTokenRow {
  /** The token. */
  token: string
  /** When it expires. Default: never. */
  expires_at?: number | undefined
  kind: 'cloud'
  game_id: string
}

/** A lobby: starting, ready or stopped. */
export type LobbyRow = StartingLobbyRow | ReadyLobbyRow | StoppedLobbyRow

/** A player: reserved, connected, expired or removed. */
export type PlayerRow = ReservedPlayerRow | ConnectedPlayerRow | ExpiredPlayerRow | RemovedPlayerRow

/** A device link: pending, or complete with the cloud token that the device gets. */
export type DeviceLinkRow = PendingDeviceLinkRow | CompleteDeviceLinkRow

/** A bearer token, of a namespace or of a game. */
export type TokenRow = DevelopmentTokenRow | PublicTokenRow | CloudTokenRow

/** The name of a table. */
export type TableName =
  | 'settings'
  | 'games'
  | 'regions'
  | 'namespaces'
  | 'gameModes'
  | 'lobbies'
  | 'players'
  | 'simulations'
  | 'deviceLinks'
  | 'tokens'

/** A rule of warnings. */
export type WarningRule =
  | 'hot loop'
  | 'watch without index'
  | 'no pause after failure'
  | 'never connected'
  | 'seats unused'
  | 'never ready'
  | 'dead port'
  | 'wrong port'
  | 'seats without ports'
  | 'no such call'
  | 'canned answers'
  | 'crowd from one address'
  | 'server ended dirty'
  | 'buffered output'
