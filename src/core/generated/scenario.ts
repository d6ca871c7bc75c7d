// `npm run generate` writes this file from the schemas.
import type { ProxyProtocol } from './operations.js'
import type { JournalEntry, ScenarioFault } from './requests.js'
import type { LobbyPort } from './rows.js'

export interface ScenarioServerPorts {
  /**
   * The host of game servers, with {lobby_id}, {region_id} and {label} filled in. Default: that of the client's
   * request.
   */
  hostname?: string | undefined
  /** The ports that they open. Default: one, default, with the target_port 7777. An empty list: none. */
  lobby_ports?: readonly LobbyPort[] | undefined
  /** In place of lobby_ports with one port, whose label is default. */
  default?:
    | {
        /** The one port. A server that the mock starts gets a free one instead. */
        target_port?: number | undefined
        /** The one port, also of a server that the mock starts: one runs at a time. */
        fixed?: number | undefined
        /** The protocol by which clients reach the port. */
        proxy_protocol?: ProxyProtocol | undefined
      }
    | undefined
}

/** The id of a region of the catalogue, or a whole region. */
export type ScenarioRegion =
  | string
  | {
      /** Its id. */
      region_id: string
      /** The company that runs its data centre. Default: Own. */
      provider_display_name?: string | undefined
      /** Its name for players. Default: the region_id. */
      region_display_name?: string | undefined
      /** The place of its data centre. Default: 0, 0. */
      datacenter_coord?:
        | {
            /** Degrees north. */
            latitude: number
            /** Degrees east. */
            longitude: number
          }
        | undefined
      /** Its id on the cloud side, a UUID. Default: that of the catalogue, else from the seed. */
      region_uuid?: string | undefined
    }

export interface ScenarioPlayer {
  /** A token. Default: from the seed. */
  token?: string | undefined
  /** Its IP address. Default: 127.0.0.1. */
  address?: string | undefined
  /** The session of a simulated player, in ms. */
  session_ms?: number | undefined
  /** reserved and connected players have a seat. Default: connected. */
  status?: 'reserved' | 'connected' | 'expired' | 'removed' | undefined
  /** When a reserved seat is freed. Default: never. */
  expires_at?: string | undefined
  /** When the mock connects a reserved player. Default: never. */
  connects_at?: string | undefined
  /** When its age limit removes it. Default: never. */
  removes_at?: string | undefined
  /** When the mock makes a connected player leave. Default: never. */
  leaves_at?: string | undefined
  /** When a player without a seat is deleted. Default: never. */
  forgotten_at?: string | undefined
}

export interface ScenarioLobby {
  /** Its id. Default: from the seed. */
  lobby_id?: string | undefined
  /** Its game mode. Default: the namespace's first. */
  game_mode_id?: string | undefined
  /** Its region. Default: the first one that its game mode enables. */
  region_id?: string | undefined
  /** The number of connected players. Default: those in `players`. */
  total_player_count?: number | undefined
  /** The state that its server reports: any JSON of at most 64 levels. Default: none. */
  state?: unknown
  /** public: it is listed and found. private: only players with its id join it. Default: public. */
  publicity?: 'public' | 'private' | undefined
  /** true: no list and no find has it, and players join it by its id. Default: false. */
  is_closed?: boolean | undefined
  /** Its tags, for find. Default: none. */
  tags?: Record<string, string> | undefined
  /** Its configuration, from its creator. Default: none. */
  lobby_config?: unknown
  /**
   * mock: its game server is simulated. server: a real one. command: the mock has started it. none: the first find
   * or join starts it. Default: mock; server if `servers` is manual, or if the lobby is starting.
   */
  run_by?: 'mock' | 'server' | 'command' | 'none' | undefined
  /** The ports of its own game server. Default: those of its game mode. */
  ports?: readonly LobbyPort[] | undefined
  /** The status of its game server. Default: ready. */
  status?: 'starting' | 'ready' | 'stopped' | undefined
  /** When it stops if its server has not called ready. Default: never. */
  ready_by?: string | undefined
  /** When its age limit stops it. Default: never. */
  stops_at?: string | undefined
  /** When a stopped lobby is deleted. Default: never. */
  forgotten_at?: string | undefined
  /** The most players of a lobby: one number, or three. */
  max_players?: MaxPlayersInput | undefined
  /** Players with a row of their own. Default: none. */
  players?: readonly ScenarioPlayer[] | undefined
}

export type ScenarioGameMode =
  | string
  | {
      /** Its id. */
      game_mode_id: string
      /** The most players of a lobby: one number, or three. */
      max_players?: MaxPlayersInput | undefined
      /** Ids of the regions that it enables. Default: all of the scenario. */
      regions?: readonly string[] | undefined
      /** true: its lobbies are listed. Default: true. */
      listable?: boolean | undefined
      /** The calls that the mock refuses for its lobbies. Default: none. */
      disabled?: readonly ('find' | 'join' | 'create')[] | undefined
      /** true: find and create may send max_players. Default: true. */
      dynamic_max_players?: boolean | undefined
      /** true: find and create may send tags. Default: true. */
      taggable?: boolean | undefined
      /** The host and ports of its game servers. Default: the namespace's development. */
      ports?: ScenarioServerPorts | undefined
      /** Its game servers. Default: `servers` of the scenario. */
      servers?:
        | 'auto'
        | 'manual'
        | {
            /** The command that starts the game server of a lobby. Default: you start them. */
            command?: string | undefined
            /** Files and folders whose changes restart the game servers. Default: none. */
            watch?: readonly string[] | undefined
            /** A lobby stops if its server has not called ready within this time. Default: 5m. */
            ready_within?: string | undefined
          }
        | undefined
    }

/** The most players of a lobby: one number, or three. */
export type MaxPlayersInput =
  | number
  | {
      /** The most players by find. */
      normal?: number | undefined
      /** The most players by join with the id of the lobby. */
      direct?: number | undefined
      /** The most players as a party. */
      party?: number | undefined
    }

/** The key `matchmaker` of a namespace, which stands for two columns. */
export interface MatchmakerInput {
  /** The most lobbies at once. Default: 128. */
  lobby_count_max?: number | undefined
  /** The most players from one address. Default: 8, and loopback addresses are not counted. */
  max_players_per_client?: number | undefined
  /** The old name of max_players_per_client. */
  max_players?: number | undefined
}

/** The key `tokens` of a game. */
export interface GameTokensInput {
  /** Its cloud token. Default: from the seed. */
  cloud?: string | undefined
}

/** The key `tokens` of a namespace. */
export interface NamespaceTokensInput {
  /** The public token. Default: from the seed. */
  public?: string | undefined
  /** The development token. Default: from the seed. */
  development?: string | undefined
}

export interface ScenarioPlayers {
  /** The number of players at once. Without a command, averaged over a day. Default: 100, or 8 with a command. */
  concurrent?: number | undefined
  /** The weights of the game modes, by their ids. Default: all alike. */
  modes?: Record<string, number> | undefined
  /** When the simulation began. Default: when the world begins. */
  began_at?: string | undefined
  /** true: players that lobbies only count have become players who leave. Default: false. */
  settled?: boolean | undefined
  /** When the next step is due. Default: the next full five seconds after began_at. */
  next_step_at?: string | undefined
  /** The average length of a session. Default: 12m. */
  session?: string | undefined
  /** The command that runs a bot. Default: players are simulated. */
  command?: string | undefined
  /** true: each bot gets a seat before it starts. Default: false. */
  find?: boolean | undefined
}

export interface ScenarioNamespace {
  /** Its name in paths, host names and other keys. Default: prod. */
  name_id?: string | undefined
  /** Its name for people. Default: the name_id, or Production. */
  display_name?: string | undefined
  /** Its id on the cloud side. Default: from the seed. */
  namespace_id?: string | undefined
  /** When it was created. Default: when the world begins. */
  created_at?: string | undefined
  /** The version of the game that it runs. Default: from the seed. */
  version_id?: string | undefined
  /** true: clients need no token for lobbies and regions. Default: true. */
  tokenless?: boolean | undefined
  /** Host names of its pages. Default: none. */
  domains?: readonly string[] | undefined
  /** The game server of its development tokens, and of game modes without ports. */
  development?: ScenarioServerPorts | undefined
  /** Limits of the namespace. */
  matchmaker?: MatchmakerInput | undefined
  /** Tokens of the namespace. Default: from the seed. */
  tokens?: NamespaceTokensInput | undefined
  /** Its game modes: ids, or whole ones. Default: none. */
  game_modes?: readonly ScenarioGameMode[] | undefined
  /** Its lobbies at the beginning. Default: none. */
  lobbies?: readonly ScenarioLobby[] | undefined
  /** Simulated players or bots. Default: none. */
  players?: ScenarioPlayers | undefined
  /** Generates lobbies from the seed, besides those in `lobbies`. */
  generate?:
    | {
        /** The number of lobbies to generate. Default: 0. */
        lobbies?: number | undefined
      }
    | undefined
}

export interface ScenarioGame {
  /** Its name in paths, host names and other keys. Default: game. */
  name_id?: string | undefined
  /** Its name for people. Default: the name_id, or Game. */
  display_name?: string | undefined
  /** Its id on the cloud side. Default: from the seed. */
  game_id?: string | undefined
  /** When it was created. Default: when the world begins. */
  created_at?: string | undefined
  /** The group of its developers. Default: from the seed. */
  developer_group_id?: string | undefined
  /** Tokens of the game. Default: from the seed. */
  tokens?: GameTokensInput | undefined
  /** Its namespaces. Default: one, prod. */
  namespaces?: readonly ScenarioNamespace[] | undefined
}

export interface ScenarioDeviceLink {
  /** The token with which the device watches the link. Default: from the seed. */
  token?: string | undefined
  /** Its id. Default: from the seed. */
  device_link_id?: string | undefined
  /** When it expires. Default: never. */
  expires_at?: string | undefined
  /** complete: a person has completed it. Default: pending. */
  status?: 'pending' | 'complete' | undefined
  /** The cloud token that the device of a complete link gets. Default: from the seed. */
  cloud_token?: string | undefined
  /** The name_id of its game. Default: the only game. */
  game?: string | undefined
  /** The time until the world completes it, as in 5s. Default: never. */
  completes_after?: string | undefined
  /** When the world completes it. */
  completes_at?: string | undefined
  /** The time until it expires, as in 1h. Default: never. */
  expires_after?: string | undefined
}

export interface ScenarioToken {
  /** The token. */
  token: string
  /** When it expires. Default: never. */
  expires_at?: string | undefined
  /** development: mock responses. public: the clients of a namespace. cloud: the cloud side of a game. */
  kind: 'development' | 'public' | 'cloud'
  /** The game server of a development token. Default: its namespace's development. */
  development?: ScenarioServerPorts | undefined
  /** The namespace of a development or public token: <game name_id>/<namespace name_id>. */
  namespace?: string | undefined
  /** The name_id of the game of a cloud token. */
  game?: string | undefined
}

/** A scenario in the form of a file. */
export interface ScenarioInput {
  /** The name of the scenario, of at most 300 characters. Default: Untitled. */
  title?: string | undefined
  /** A description of the world, in plain text of at most 300 characters. Default: none. */
  description?: string | undefined
  /** The seed of ids, tokens and generated lobbies. Default: 1. */
  seed?: number | undefined
  /** When the world's clock starts. Default: the real time. */
  now?: string | undefined
  /** running or frozen, or an object. Default: running. */
  clock?:
    | {
        /** running, or frozen: the time stands still. Default: running. */
        mode?: 'running' | 'frozen' | undefined
        /** The speed of a running clock: 60 is a minute a second. Default: 1. */
        rate?: number | undefined
      }
    | 'running'
    | 'frozen'
    | undefined
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
  hide_empty_lobbies?: boolean | undefined
  /** The pages of a game are at <game>.<cdn_domain>. Default: mock.localhost. */
  cdn_domain?: string | undefined
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
  /**
   * auto: the mock plays the game server of a lobby until one calls. manual: it never does, as in the real
   * service. An object: its command starts them. Default: auto.
   */
  servers?:
    | 'auto'
    | 'manual'
    | {
        /** The command that starts the game server of a lobby. Default: you start them. */
        command?: string | undefined
        /** Files and folders whose changes restart the game servers. Default: none. */
        watch?: readonly string[] | undefined
        /** A lobby stops if its server has not called ready within this time. Default: 5m. */
        ready_within?: string | undefined
      }
    | undefined
  /**
   * The namespace of requests whose token and Origin name none: <game name_id>/<namespace name_id>, or none.
   * Default: the first one.
   */
  default_namespace?: string | undefined
  /** Ids of the catalogue, also without lnd-, or whole regions. Default: all of the catalogue that begin with lnd-. */
  regions?: readonly ScenarioRegion[] | undefined
  /** The games. Default: one, game, with one namespace, prod, whose keys may then stand at the top. */
  games?: readonly ScenarioGame[] | undefined
  /** Its device links at the beginning. Default: none. */
  device_links?: readonly ScenarioDeviceLink[] | undefined
  /** Its id on the cloud side. Default: from the seed. */
  namespace_id?: string | undefined
  /** When it was created. Default: when the world begins. */
  created_at?: string | undefined
  /** The version of the game that it runs. Default: from the seed. */
  version_id?: string | undefined
  /** true: clients need no token for lobbies and regions. Default: true. */
  tokenless?: boolean | undefined
  /** Host names of its pages. Default: none. */
  domains?: readonly string[] | undefined
  /** The game server of its development tokens, and of game modes without ports. */
  development?: ScenarioServerPorts | undefined
  /** Limits of the namespace. */
  matchmaker?: MatchmakerInput | undefined
  /** Tokens of the namespace. Default: from the seed. */
  tokens?: NamespaceTokensInput | undefined
  /** Its game modes: ids, or whole ones. Default: none. */
  game_modes?: readonly ScenarioGameMode[] | undefined
  /** Its lobbies at the beginning. Default: none. */
  lobbies?: readonly ScenarioLobby[] | undefined
  /** Simulated players or bots. Default: none. */
  players?: ScenarioPlayers | undefined
  /** Generates lobbies from the seed, besides those in `lobbies`. */
  generate?:
    | {
        /** The number of lobbies to generate. Default: 0. */
        lobbies?: number | undefined
      }
    | undefined
  /** All bearer tokens of the world, in their order. Default: those of its games, namespaces and device links. */
  bearer_tokens?: readonly ScenarioToken[] | undefined
  /** The lowest revision: those of the world are above it. Default: 0. */
  revision?: number | undefined
  /** The states of the random sequences. Default: their start, from the seed. */
  chance?:
    | {
        /** The state for ids and tokens: four numbers. */
        world?: readonly [number, number, number, number] | undefined
        /** The state for faults: four numbers. */
        faults?: readonly [number, number, number, number] | undefined
      }
    | undefined
  /** Injected errors and delays: the first that matches a request applies. Default: none. */
  faults?: readonly ScenarioFault[] | undefined
  /** Earlier requests to the world, with their responses. Default: none. */
  journal?: readonly JournalEntry[] | undefined
  /** The past of the world. Only the mock writes it. Default: none. */
  past?: Record<string, unknown> | undefined
  /** The place of this schema, for editors. */
  $schema?: string | undefined
}

/** The name of a shipped scenario. */
export type ShippedScenario =
  | 'default'
  | 'empty'
  | 'friday-night'
  | 'launch-day'
  | 'ghost-town'
  | 'party'
  | 'region-down'
  | 'server-crash'
  | 'night-shift'
  | 'tokens-only'
  | 'nasty'

/** The name of a shipped scenario, or of the scenario that the mock began with. */
export type AnyScenarioName = ShippedScenario | (string & {})

/** The name of a shipped scenario, or the path of a file. A path has a slash or a dot. */
export type ScenarioNameOrPath = ShippedScenario | `${string}/${string}` | `${string}.${string}`
