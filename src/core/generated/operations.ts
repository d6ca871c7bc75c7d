// `npm run generate` writes this file from the schemas.

/** The body of every failure. */
export interface ErrorBody {
  /** One of the error codes. */
  code: string
  /** A sentence for people: what is wrong, where, and what to do. */
  message: string
  documentation?: string | undefined
  metadata?: unknown
}

/** A range of ports, inclusive. */
export interface PortRange {
  min: number
  max: number
}

/** A place on earth, in degrees: latitude -90 to 90, longitude -180 to 180. */
export interface Coordinates {
  latitude: number
  longitude: number
}

/** The places that the clients know, for the regions of all providers. */
export type UniversalRegion =
  | 'unknown'
  | 'local'
  | 'amsterdam'
  | 'atlanta'
  | 'bangalore'
  | 'dallas'
  | 'frankfurt'
  | 'london'
  | 'mumbai'
  | 'newark'
  | 'new_york_city'
  | 'san_francisco'
  | 'singapore'
  | 'sydney'
  | 'tokyo'
  | 'toronto'
  | 'washington_dc'
  | 'chicago'
  | 'paris'
  | 'seattle'
  | 'sao_paulo'
  | 'stockholm'
  | 'chennai'
  | 'osaka'
  | 'milan'
  | 'miami'
  | 'jakarta'
  | 'los_angeles'

/** The protocol of a port. */
export type ProxyProtocol = 'http' | 'https' | 'tcp' | 'tcp_tls' | 'udp'

/** A port of a lobby: one `target_port`, or an inclusive `port_range`. The validation checks the combination. */
export interface Port {
  label: string
  target_port?: number | undefined
  port_range?: PortRange | undefined
  proxy_protocol: ProxyProtocol
}

/** A port of your own game server: one `port`, or an inclusive `port_range`. */
export interface DevelopmentPort {
  port?: number | undefined
  port_range?: PortRange | undefined
  protocol: ProxyProtocol
}

/** A game mode of a namespace. */
export interface GameMode {
  game_mode_id: string
}

/** An open lobby. `total_player_count` counts connected players. `state` is there only with `include_state=true`. */
export interface Lobby {
  region_id: string
  game_mode_id: string
  lobby_id: string
  max_players_normal: number
  max_players_direct: number
  max_players_party: number
  total_player_count: number
  state?: Record<string, unknown> | undefined
}

/** A region: the coordinates of its data centre, in degrees, and the distance to the client. */
export interface Region {
  region_id: string
  provider_display_name: string
  region_display_name: string
  datacenter_coord: Coordinates
  datacenter_distance_from_client: {
    kilometers: number
    miles: number
  }
}

/** The address of a port of a lobby: a `port` with its `host`, or an inclusive `port_range`. */
export interface JoinPort {
  hostname: string
  /** `hostname:port`. Absent if there is a `port_range`. */
  host?: string | undefined
  port?: number | undefined
  port_range?: PortRange | undefined
  is_tls: boolean
}

/** A seat in a lobby: the address of its server, and the token of the player. */
export interface Join {
  lobby: {
    lobby_id: string
    region: {
      region_id: string
      display_name: string
    }
    /** The ports by label. */
    ports: Record<string, JoinPort>
    player: {
      /** The token of the player. The player sends it to the game server, which reports it as connected. */
      token: string
    }
  }
  /** The ports by label. */
  ports: Record<string, JoinPort>
  player: {
    /** The token of the player. The player sends it to the game server, which reports it as connected. */
    token: string
  }
}

/** A namespace without its configuration. */
export interface NamespaceSummary {
  namespace_id: string
  /** A point in time in UTC, as in `2026-11-20T20:00:00.000Z`. */
  create_ts: string
  display_name: string
  version_id: string
  name_id: string
}

/** A version that a namespace of the game runs. */
export interface VersionSummary {
  version_id: string
  /** A point in time in UTC, as in `2026-11-20T20:00:00.000Z`. */
  create_ts: string
  display_name: string
}

/** A region in which lobbies of a game may run. */
export interface RegionSummary {
  region_id: string
  /** The matchmaker calls it `region_id`. */
  region_name_id: string
  provider: string
  universal_region: UniversalRegion
  provider_display_name: string
  region_display_name: string
}

/** A game. `total_player_count` counts the reserved and connected seats of all its lobbies. */
export interface Game {
  game_id: string
  /** A point in time in UTC, as in `2026-11-20T20:00:00.000Z`. */
  create_ts: string
  name_id: string
  display_name: string
  developer_group_id: string
  total_player_count: number
  namespaces: NamespaceSummary[]
  versions: VersionSummary[]
  available_regions: RegionSummary[]
}

/** The version of the data in this answer. Send it back as `watch_index` to wait for the next one. */
export interface Watch {
  index: string
}

/**
 * A problem of a validated request. `path` says where it is and what is wrong: `["ports", "0",
 * "label-invalid"]`.
 */
export interface ValidationError {
  path: string[]
}

/** The problems of a validated request. The list is empty if the request is valid. */
export interface Validation {
  errors: ValidationError[]
}

/** A namespace with its configuration. */
export interface Namespace {
  namespace_id: string
  /** A point in time in UTC, as in `2026-11-20T20:00:00.000Z`. */
  create_ts: string
  display_name: string
  version_id: string
  name_id: string
  config: {
    cdn: {
      /** `true` if matchmaker calls from the domains need no token. */
      enable_domain_public_auth: boolean
      domains: {
        domain: string
        /** A point in time in UTC, as in `2026-11-20T20:00:00.000Z`. */
        create_ts: string
        verification_status: 'active' | 'pending' | 'failed'
        verification_method: {
          http: {
            cname_record: string
          }
        }
        verification_errors: string[]
      }[]
      auth_type: 'none' | 'basic'
      auth_user_list: {
        user: string
      }[]
    }
    matchmaker: {
      lobby_count_max: number
      max_players_per_client: number
      max_players_per_client_vpn: number
      max_players_per_client_proxy: number
      max_players_per_client_tor: number
      max_players_per_client_hosting: number
    }
    kv: Record<string, never>
    identity: Record<string, never>
  }
}

/** The status of a device link. `cloud_token` is absent until a person completes the link. */
export interface DeviceLink {
  cloud_token?: string | undefined
  /** The version of the data in this answer. Send it back as `watch_index` to wait for the next one. */
  watch: Watch
}

/** A new device link: the token that the device watches, and the URL at which a person completes it. */
export interface PreparedDeviceLink {
  device_link_id: string
  device_link_token: string
  device_link_url: string
}

/** The settings that a cloud client needs before its first call. */
export interface Bootstrap {
  access: 'public' | 'private'
  captcha: Record<string, never>
  cluster: 'enterprise' | 'oss'
  domains: {
    cdn: string
    job: string
    main: string
  }
  login_methods: {
    access_token: boolean
    email: boolean
  }
  origins: {
    /** The URL at which device links are completed. */
    hub: string
  }
}

/** The owner of a cloud token: a game. */
export interface Agent {
  identity?:
    | {
        identity_id: string
      }
    | undefined
  game_cloud?:
    | {
        game_id: string
      }
    | undefined
}

/** The checked input of `lobbies.list`. */
export interface LobbiesListInput {
  /** `true` adds the state to each lobby. Default: false. */
  include_state: boolean
  /**
   * The position of the client: latitude and longitude in degrees, as in `52.52,13.40`. Values out of range wrap
   * around the globe.
   */
  'x-coords'?: Coordinates | undefined
}

/** The answer of `lobbies.list`. */
export interface LobbiesListOutput {
  game_modes: GameMode[]
  lobbies: Lobby[]
  regions: Region[]
}

/** The checked input of `lobbies.find`. */
export interface LobbiesFindInput {
  /**
   * The position of the client: latitude and longitude in degrees, as in `52.52,13.40`. Values out of range wrap
   * around the globe.
   */
  'x-coords'?: Coordinates | undefined
  /** At least one. A new lobby gets the first of them that has a region. */
  game_modes: string[]
  /** Default: all regions that the game modes enable. */
  regions?: string[] | undefined
  prevent_auto_create_lobby?: boolean | undefined
  /** At most 8 tags. A name has up to 128 bytes, a value up to 512. */
  tags?: Record<string, string> | undefined
  /**
   * The most players of the lobby. It is at least 1, and at most the larger of the normal and the direct maximum
   * of the game mode. Default: the maximum of the game mode.
   */
  max_players?: number | undefined
  captcha?: unknown
  verification_data?: unknown
}

/** The checked input of `lobbies.join`. */
export interface LobbiesJoinInput {
  lobby_id: string
  captcha?: unknown
  verification_data?: unknown
}

/** The checked input of `lobbies.create`. */
export interface LobbiesCreateInput {
  /**
   * The position of the client: latitude and longitude in degrees, as in `52.52,13.40`. Values out of range wrap
   * around the globe.
   */
  'x-coords'?: Coordinates | undefined
  game_mode: string
  /** Default: the nearest region that the game mode enables. */
  region?: string | undefined
  /** Default: private. `lobbies.find` and `lobbies.list` see only public lobbies. */
  publicity?: 'public' | 'private' | undefined
  /** At most 8 tags. A name has up to 128 bytes, a value up to 512. */
  tags?: Record<string, string> | undefined
  /**
   * The most players of the lobby. It is at least 1, and at most the larger of the normal and the direct maximum
   * of the game mode. Default: the maximum of the game mode.
   */
  max_players?: number | undefined
  /** Any JSON for the game server, which finds it in its environment. At most 16 KiB. */
  lobby_config?: unknown
  captcha?: unknown
  verification_data?: unknown
}

/** The checked input of `lobbies.setClosed`. */
export interface LobbiesSetClosedInput {
  is_closed: boolean
}

/** The checked input of `lobbies.setState`. */
export interface LobbiesSetStateInput {
  jsonBody: unknown
}

/** The checked input of `lobbies.getState`. */
export interface LobbiesGetStateInput {
  /** The id of a lobby of the namespace. */
  lobby_id: string
}

/** The answer of `lobbies.getState`. */
export type LobbiesGetStateOutput = unknown

/** The checked input of `players.connected`. */
export interface PlayersConnectedInput {
  /**
   * The token of the player, from find, join or create. With the token of a lobby it is `player.…`, with a
   * development token `dev_player.…`.
   */
  player_token: string
}

/** The checked input of `players.disconnected`. */
export interface PlayersDisconnectedInput {
  /**
   * The token of the player, from find, join or create. With the token of a lobby it is `player.…`, with a
   * development token `dev_player.…`.
   */
  player_token: string
}

/** The answer of `players.getStatistics`. */
export interface PlayersGetStatisticsOutput {
  player_count: number
  game_modes: Record<
    string,
    {
      player_count: number
      regions: Record<
        string,
        {
          player_count: number
        }
      >
    }
  >
}

/** The checked input of `regions.list`. */
export interface RegionsListInput {
  /**
   * The position of the client: latitude and longitude in degrees, as in `52.52,13.40`. Values out of range wrap
   * around the globe.
   */
  'x-coords'?: Coordinates | undefined
}

/** The answer of `regions.list`. */
export interface RegionsListOutput {
  regions: Region[]
}

/** The checked input of `games.getGameById`. */
export interface GamesGetGameByIdInput {
  /** The id of the game. */
  game_id: string
  /** The `watch.index` of an earlier answer. The call then blocks until the data changes. */
  watch_index?: bigint | undefined
}

/** The answer of `games.getGameById`. */
export interface GamesGetGameByIdOutput {
  /** A game. `total_player_count` counts the reserved and connected seats of all its lobbies. */
  game: Game
  /** The version of the data in this answer. Send it back as `watch_index` to wait for the next one. */
  watch: Watch
}

/** The checked input of `games.tokens.createCloudToken`. */
export interface GamesTokensCreateCloudTokenInput {
  /** The id of the game. */
  game_id: string
}

/** The answer of `games.tokens.createCloudToken`. */
export interface GamesTokensCreateCloudTokenOutput {
  token: string
}

/** The checked input of `games.namespaces.validateGameNamespace`. */
export interface GamesNamespacesValidateGameNamespaceInput {
  /** The id of the game. */
  game_id: string
  display_name: string
  name_id: string
}

/** The checked input of `games.namespaces.createGameNamespace`. */
export interface GamesNamespacesCreateGameNamespaceInput {
  /** The id of the game. */
  game_id: string
  display_name: string
  name_id: string
  version_id: string
}

/** The answer of `games.namespaces.createGameNamespace`. */
export interface GamesNamespacesCreateGameNamespaceOutput {
  namespace_id: string
}

/** The checked input of `games.namespaces.getGameNamespaceById`. */
export interface GamesNamespacesGetGameNamespaceByIdInput {
  /** The id of the game. */
  game_id: string
  /** The id of the namespace. */
  namespace_id: string
}

/** The answer of `games.namespaces.getGameNamespaceById`. */
export interface GamesNamespacesGetGameNamespaceByIdOutput {
  /** A namespace with its configuration. */
  namespace: Namespace
}

/** The checked input of `games.namespaces.updateGameNamespaceVersion`. */
export interface GamesNamespacesUpdateGameNamespaceVersionInput {
  /** The id of the game. */
  game_id: string
  /** The id of the namespace. */
  namespace_id: string
  version_id: string
}

/** The checked input of `games.namespaces.updateGameNamespaceMatchmakerConfig`. */
export interface GamesNamespacesUpdateGameNamespaceMatchmakerConfigInput {
  /** The id of the game. */
  game_id: string
  /** The id of the namespace. */
  namespace_id: string
  lobby_count_max: number
  max_players: number
}

/** The checked input of `games.namespaces.validateGameNamespaceMatchmakerConfig`. */
export interface GamesNamespacesValidateGameNamespaceMatchmakerConfigInput {
  /** The id of the game. */
  game_id: string
  /** The id of the namespace. */
  namespace_id: string
  lobby_count_max: number
  max_players: number
}

/** The checked input of `games.namespaces.validateGameNamespaceTokenDevelopment`. */
export interface GamesNamespacesValidateGameNamespaceTokenDevelopmentInput {
  /** The id of the game. */
  game_id: string
  /** The id of the namespace. */
  namespace_id: string
  hostname: string
  lobby_ports: Port[]
}

/** The checked input of `games.namespaces.createGameNamespaceTokenDevelopment`. */
export interface GamesNamespacesCreateGameNamespaceTokenDevelopmentInput {
  /** The id of the game. */
  game_id: string
  /** The id of the namespace. */
  namespace_id: string
  hostname: string
  /** The ports by label. */
  ports?: Record<string, DevelopmentPort> | undefined
  /** Older clients send this instead of `ports`. */
  lobby_ports?: Port[] | undefined
}

/** The answer of `games.namespaces.createGameNamespaceTokenDevelopment`. */
export interface GamesNamespacesCreateGameNamespaceTokenDevelopmentOutput {
  token: string
}

/** The checked input of `games.namespaces.createGameNamespaceTokenPublic`. */
export interface GamesNamespacesCreateGameNamespaceTokenPublicInput {
  /** The id of the game. */
  game_id: string
  /** The id of the namespace. */
  namespace_id: string
}

/** The answer of `games.namespaces.createGameNamespaceTokenPublic`. */
export interface GamesNamespacesCreateGameNamespaceTokenPublicOutput {
  token: string
}

/** The checked input of `games.namespaces.toggleNamespaceDomainPublicAuth`. */
export interface GamesNamespacesToggleNamespaceDomainPublicAuthInput {
  /** The id of the game. */
  game_id: string
  /** The id of the namespace. */
  namespace_id: string
  enabled: boolean
}

/** The checked input of `games.namespaces.addNamespaceDomain`. */
export interface GamesNamespacesAddNamespaceDomainInput {
  /** The id of the game. */
  game_id: string
  /** The id of the namespace. */
  namespace_id: string
  /** A host name: no scheme, no port, no path. */
  domain: string
}

/** The checked input of `games.namespaces.removeNamespaceDomain`. */
export interface GamesNamespacesRemoveNamespaceDomainInput {
  /** The id of the game. */
  game_id: string
  /** The id of the namespace. */
  namespace_id: string
  /** A domain of the namespace. */
  domain: string
}

/** The checked input of `devices.links.get`. */
export interface DevicesLinksGetInput {
  /** The token from `devices.links.prepare`. */
  device_link_token: string
  /** The `watch.index` of an earlier answer. The call then blocks until the data changes. */
  watch_index?: bigint | undefined
}

/** The checked input of `devices.links.complete`. */
export interface DevicesLinksCompleteInput {
  device_link_token: string
  game_id: string
}

/** The answer of `auth.inspect`. */
export interface AuthInspectOutput {
  /** The owner of a cloud token: a game. */
  agent: Agent
}

/** The checked input of each operation. */
export interface OperationInputs {
  /** Lists the open lobbies of a namespace, its game modes and regions. */
  'lobbies.list': LobbiesListInput
  /** Reserves a seat in the fullest lobby that fits, or in a new one. */
  'lobbies.find': LobbiesFindInput
  /** Reserves a seat in a lobby. */
  'lobbies.join': LobbiesJoinInput
  /** Creates a lobby, and reserves a seat in it. */
  'lobbies.create': LobbiesCreateInput
  /** Reports that the lobby is ready for players. */
  'lobbies.ready': object
  /** Closes or opens the lobby. Players can join a closed lobby only by its id. */
  'lobbies.setClosed': LobbiesSetClosedInput
  /** Sets the state of the lobby: any JSON. An empty body clears it. */
  'lobbies.setState': LobbiesSetStateInput
  /** Returns the state of a lobby: any JSON, or null. */
  'lobbies.getState': LobbiesGetStateInput
  /** Reports that a player has connected. */
  'players.connected': PlayersConnectedInput
  /** Reports that a player has left the lobby. */
  'players.disconnected': PlayersDisconnectedInput
  /** Counts the seats in use: in total, by game mode, and by region. */
  'players.getStatistics': object
  /** Lists the regions that the game modes of a namespace enable. */
  'regions.list': RegionsListInput
  /**
   * Returns a game with its namespaces, versions, regions and players. Blocks while `watch_index` is the current
   * index.
   */
  'games.getGameById': GamesGetGameByIdInput
  /** Creates another cloud token of a game. Earlier ones stay valid. */
  'games.tokens.createCloudToken': GamesTokensCreateCloudTokenInput
  /** Validates the names of a new namespace. Creates nothing. */
  'games.namespaces.validateGameNamespace': GamesNamespacesValidateGameNamespaceInput
  /** Creates a namespace with the game modes of the game's first one, and without a token: create one. */
  'games.namespaces.createGameNamespace': GamesNamespacesCreateGameNamespaceInput
  /** Returns a namespace with its names, version, domains and limits. */
  'games.namespaces.getGameNamespaceById': GamesNamespacesGetGameNamespaceByIdInput
  /** Sets the version that a namespace runs. */
  'games.namespaces.updateGameNamespaceVersion': GamesNamespacesUpdateGameNamespaceVersionInput
  /** Sets the limits of a namespace: lobbies, and players from one address. */
  'games.namespaces.updateGameNamespaceMatchmakerConfig': GamesNamespacesUpdateGameNamespaceMatchmakerConfigInput
  /** Validates the limits of a namespace. Sets nothing. */
  'games.namespaces.validateGameNamespaceMatchmakerConfig': GamesNamespacesValidateGameNamespaceMatchmakerConfigInput
  /** Validates the ports of a new development token. Creates nothing. */
  'games.namespaces.validateGameNamespaceTokenDevelopment': GamesNamespacesValidateGameNamespaceTokenDevelopmentInput
  /** Creates a development token, for a game server at a host name and ports. */
  'games.namespaces.createGameNamespaceTokenDevelopment': GamesNamespacesCreateGameNamespaceTokenDevelopmentInput
  /** Creates a public token of a namespace, for the clients of the game. */
  'games.namespaces.createGameNamespaceTokenPublic': GamesNamespacesCreateGameNamespaceTokenPublicInput
  /** Allows or forbids calls without a token from the domains of a namespace. */
  'games.namespaces.toggleNamespaceDomainPublicAuth': GamesNamespacesToggleNamespaceDomainPublicAuthInput
  /** Adds a domain to a namespace. Calls from its pages then belong to the namespace. */
  'games.namespaces.addNamespaceDomain': GamesNamespacesAddNamespaceDomainInput
  /** Removes a domain from a namespace. */
  'games.namespaces.removeNamespaceDomain': GamesNamespacesRemoveNamespaceDomainInput
  /** Returns the status of a device link. Blocks while `watch_index` is the current index. */
  'devices.links.get': DevicesLinksGetInput
  /** Creates a device link: a token to watch, and the URL at which a person completes it. */
  'devices.links.prepare': object
  /** Completes a device link. The device gets a cloud token of the game. */
  'devices.links.complete': DevicesLinksCompleteInput
  /** Returns the settings of a cloud client. */
  'cloud.bootstrap': object
  /** Returns the game of a cloud token. */
  'auth.inspect': object
}

/** The answer of each operation. `undefined` is an empty body. */
export interface OperationOutputs {
  /** Lists the open lobbies of a namespace, its game modes and regions. */
  'lobbies.list': LobbiesListOutput
  /** Reserves a seat in the fullest lobby that fits, or in a new one. */
  'lobbies.find': Join
  /** Reserves a seat in a lobby. */
  'lobbies.join': Join
  /** Creates a lobby, and reserves a seat in it. */
  'lobbies.create': Join
  /** Reports that the lobby is ready for players. */
  'lobbies.ready': Record<string, never>
  /** Closes or opens the lobby. Players can join a closed lobby only by its id. */
  'lobbies.setClosed': Record<string, never>
  /** Sets the state of the lobby: any JSON. An empty body clears it. */
  'lobbies.setState': Record<string, never>
  /** Returns the state of a lobby: any JSON, or null. */
  'lobbies.getState': LobbiesGetStateOutput
  /** Reports that a player has connected. */
  'players.connected': Record<string, never>
  /** Reports that a player has left the lobby. */
  'players.disconnected': Record<string, never>
  /** Counts the seats in use: in total, by game mode, and by region. */
  'players.getStatistics': PlayersGetStatisticsOutput
  /** Lists the regions that the game modes of a namespace enable. */
  'regions.list': RegionsListOutput
  /**
   * Returns a game with its namespaces, versions, regions and players. Blocks while `watch_index` is the current
   * index.
   */
  'games.getGameById': GamesGetGameByIdOutput
  /** Creates another cloud token of a game. Earlier ones stay valid. */
  'games.tokens.createCloudToken': GamesTokensCreateCloudTokenOutput
  /** Validates the names of a new namespace. Creates nothing. */
  'games.namespaces.validateGameNamespace': Validation
  /** Creates a namespace with the game modes of the game's first one, and without a token: create one. */
  'games.namespaces.createGameNamespace': GamesNamespacesCreateGameNamespaceOutput
  /** Returns a namespace with its names, version, domains and limits. */
  'games.namespaces.getGameNamespaceById': GamesNamespacesGetGameNamespaceByIdOutput
  /** Sets the version that a namespace runs. */
  'games.namespaces.updateGameNamespaceVersion': Record<string, never>
  /** Sets the limits of a namespace: lobbies, and players from one address. */
  'games.namespaces.updateGameNamespaceMatchmakerConfig': undefined
  /** Validates the limits of a namespace. Sets nothing. */
  'games.namespaces.validateGameNamespaceMatchmakerConfig': Validation
  /** Validates the ports of a new development token. Creates nothing. */
  'games.namespaces.validateGameNamespaceTokenDevelopment': Validation
  /** Creates a development token, for a game server at a host name and ports. */
  'games.namespaces.createGameNamespaceTokenDevelopment': GamesNamespacesCreateGameNamespaceTokenDevelopmentOutput
  /** Creates a public token of a namespace, for the clients of the game. */
  'games.namespaces.createGameNamespaceTokenPublic': GamesNamespacesCreateGameNamespaceTokenPublicOutput
  /** Allows or forbids calls without a token from the domains of a namespace. */
  'games.namespaces.toggleNamespaceDomainPublicAuth': Record<string, never>
  /** Adds a domain to a namespace. Calls from its pages then belong to the namespace. */
  'games.namespaces.addNamespaceDomain': Record<string, never>
  /** Removes a domain from a namespace. */
  'games.namespaces.removeNamespaceDomain': Record<string, never>
  /** Returns the status of a device link. Blocks while `watch_index` is the current index. */
  'devices.links.get': DeviceLink
  /** Creates a device link: a token to watch, and the URL at which a person completes it. */
  'devices.links.prepare': PreparedDeviceLink
  /** Completes a device link. The device gets a cloud token of the game. */
  'devices.links.complete': Record<string, never>
  /** Returns the settings of a cloud client. */
  'cloud.bootstrap': Bootstrap
  /** Returns the game of a cloud token. */
  'auth.inspect': AuthInspectOutput
}

/** The id of an operation. */
export type OperationId =
  | 'lobbies.list'
  | 'lobbies.find'
  | 'lobbies.join'
  | 'lobbies.create'
  | 'lobbies.ready'
  | 'lobbies.setClosed'
  | 'lobbies.setState'
  | 'lobbies.getState'
  | 'players.connected'
  | 'players.disconnected'
  | 'players.getStatistics'
  | 'regions.list'
  | 'games.getGameById'
  | 'games.tokens.createCloudToken'
  | 'games.namespaces.validateGameNamespace'
  | 'games.namespaces.createGameNamespace'
  | 'games.namespaces.getGameNamespaceById'
  | 'games.namespaces.updateGameNamespaceVersion'
  | 'games.namespaces.updateGameNamespaceMatchmakerConfig'
  | 'games.namespaces.validateGameNamespaceMatchmakerConfig'
  | 'games.namespaces.validateGameNamespaceTokenDevelopment'
  | 'games.namespaces.createGameNamespaceTokenDevelopment'
  | 'games.namespaces.createGameNamespaceTokenPublic'
  | 'games.namespaces.toggleNamespaceDomainPublicAuth'
  | 'games.namespaces.addNamespaceDomain'
  | 'games.namespaces.removeNamespaceDomain'
  | 'devices.links.get'
  | 'devices.links.prepare'
  | 'devices.links.complete'
  | 'cloud.bootstrap'
  | 'auth.inspect'

/** The code of an error of the service. */
export type ErrorCode =
  | 'API_UNAUTHORIZED'
  | 'API_FORBIDDEN'
  | 'API_NOT_FOUND'
  | 'API_METHOD_NOT_ALLOWED'
  | 'API_BAD_QUERY'
  | 'API_BAD_HEADERS'
  | 'API_BAD_BODY'
  | 'API_BODY_TOO_LARGE'
  | 'API_REQUEST_LATE'
  | 'API_RATE_LIMIT'
  | 'API_UNAVAILABLE'
  | 'CLAIMS_MISSING_ENTITLEMENT'
  | 'CLAIMS_ENTITLEMENT_EXPIRED'
  | 'TOKEN_INVALID'
  | 'TOKEN_ERROR'
  | 'TOKEN_EXPIRED'
  | 'NAMESPACE_NOT_FOUND'
  | 'CLOUD_DEVICE_LINK_ALREADY_COMPLETE'
  | 'VALIDATION_ERROR'
  | 'CDN_INVALID_DOMAIN'
  | 'CDN_TOO_MANY_DOMAINS'
  | 'CLOUD_HOSTNAME_TAKEN'
  | 'MATCHMAKER_GAME_MODE_NOT_FOUND'
  | 'MATCHMAKER_NO_GAME_MODE_PROVIDED'
  | 'MATCHMAKER_REGION_NOT_FOUND'
  | 'MATCHMAKER_REGION_NOT_ENABLED_FOR_GAME_MODE'
  | 'MATCHMAKER_LOBBY_NOT_FOUND'
  | 'MATCHMAKER_LOBBY_FULL'
  | 'MATCHMAKER_LOBBY_CLOSED'
  | 'MATCHMAKER_LOBBY_STOPPED'
  | 'MATCHMAKER_NO_AVAILABLE_LOBBIES'
  | 'MATCHMAKER_TOO_MANY_LOBBIES'
  | 'MATCHMAKER_TOO_MANY_PLAYERS_FROM_SOURCE'
  | 'MATCHMAKER_FIND_DISABLED'
  | 'MATCHMAKER_JOIN_DISABLED'
  | 'MATCHMAKER_CUSTOM_LOBBIES_DISABLED'
  | 'MATCHMAKER_CUSTOM_LOBBY_CONFIG_INVALID'
  | 'MATCHMAKER_TOO_MANY_TAGS'
  | 'MATCHMAKER_TAG_NAME_TOO_LONG'
  | 'MATCHMAKER_TAG_TOO_LONG'
  | 'MATCHMAKER_PLAYER_ALREADY_CONNECTED'
  | 'MATCHMAKER_PLAYER_REGISTRATION_EXPIRED'
  | 'MATCHMAKER_PLAYER_REMOVED'
  | 'MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY'
  | 'MATCHMAKER_DYNAMIC_MAX_PLAYERS_INVALID'
  | 'MATCHMAKER_DYNAMIC_MAX_PLAYERS_DISABLED'
  | 'MATCHMAKER_TAGS_DISABLED'
  | 'ERROR'
  | 'CAPTCHA_CAPTCHA_REQUIRED'
  | 'API_BAD_CONTENT_LENGTH'
  | 'API_BAD_COOKIE'
  | 'API_BAD_HEADER'
  | 'API_BAD_QUERY_PARAMETER'
  | 'API_CORS_HEADER_NOT_ALLOWED'
  | 'API_CORS_METHOD_NOT_ALLOWED'
  | 'API_CORS_ORIGIN_NOT_ALLOWED'
  | 'API_INVALID_IP'
  | 'API_MISSING_COOKIE'
  | 'API_MISSING_HEADER'
  | 'API_REQUEST_TIMEOUT'
  | 'BILLING_NOT_ENABLED'
  | 'CAPTCHA_CAPTCHA_FAILED'
  | 'CAPTCHA_CAPTCHA_INVALID'
  | 'CAPTCHA_CAPTCHA_ORIGIN_NOT_ALLOWED'
  | 'CDN_INVALID_AUTH_USER_PASSWORD'
  | 'CDN_TOO_MANY_AUTH_USERS'
  | 'CHAT_INVALID_BODY'
  | 'CHAT_INVALID_TOPIC'
  | 'CHAT_THREAD_NOT_FOUND'
  | 'CHIRP_RECURSIVE_REQUEST'
  | 'CHIRP_REQUEST_TIMEOUT'
  | 'CHIRP_STALE_MESSAGE'
  | 'CLI_SCRIPT_NOT_FOUND'
  | 'CLOUD_INVALID_CONFIG'
  | 'CLOUD_TOO_MANY_PENDING_HOSTNAMES_FOR_GROUP'
  | 'DB_INVALID_BUCKET'
  | 'GAME_NOT_FOUND'
  | 'GAME_USER_LINK_FAILED'
  | 'GLOB_INVALID'
  | 'GROUP_ALREADY_MEMBER'
  | 'GROUP_CANNOT_REQUEST_JOIN'
  | 'GROUP_DEACTIVATED'
  | 'GROUP_ENTERPRISE_RESTRICTION'
  | 'GROUP_FAILED_TO_CONSUME_INVITE'
  | 'GROUP_FULL'
  | 'GROUP_INSUFFICIENT_PERMISSIONS'
  | 'GROUP_INVALID_DEVELOPER_STATUS'
  | 'GROUP_INVITE_CODE_ALREADY_USED'
  | 'GROUP_INVITE_CODE_EXPIRED'
  | 'GROUP_INVITE_CODE_INVALID'
  | 'GROUP_INVITE_CODE_REVOKED'
  | 'GROUP_JOIN_REQUEST_ALREADY_EXISTS'
  | 'GROUP_MEMBER_BANNED'
  | 'GROUP_NOT_DEVELOPER_GROUP'
  | 'GROUP_NOT_FOUND'
  | 'GROUP_NOT_JOINABLE'
  | 'GROUP_NOT_MEMBER'
  | 'IDENTITY_NOT_ADMIN'
  | 'IDENTITY_NOT_FOUND'
  | 'IDENTITY_NOT_REGISTERED'
  | 'IDENTITY_WRONG_IDENTITY'
  | 'INTERNAL_STATUS_CHECK_FAILED'
  | 'KV_BATCH_TOO_LARGE'
  | 'KV_ENTRIES_MISSING'
  | 'KV_KEYS_MISSING'
  | 'KV_KEY_VALIDATION_ERROR'
  | 'KV_VALUE_TOO_LONG'
  | 'MATCHMAKER_AUTO_CREATE_FAILED'
  | 'MATCHMAKER_CUSTOM_LOBBY_LIMIT_REACHED'
  | 'MATCHMAKER_IDENTITY_REQUIRED'
  | 'MATCHMAKER_INVALID_VERSION_CONFIG'
  | 'MATCHMAKER_LOBBY_NOT_STARTED'
  | 'MATCHMAKER_REGISTRATION_REQUIRED'
  | 'MATCHMAKER_VERIFICATION_FAILED'
  | 'MATCHMAKER_VERIFICATION_REQUEST_FAILED'
  | 'MODULE_ERROR_STATUS'
  | 'MODULE_INSTANCE_DESTROYED'
  | 'MODULE_INSTANCE_STARTING'
  | 'MODULE_KEY_NOT_FOUND'
  | 'MODULE_MALFORMED_RESPONSE'
  | 'MODULE_REQUEST_FAILED'
  | 'MODULE_SCRIPT_NOT_FOUND'
  | 'NSFW_IMAGE_REQUEST_FAILED'
  | 'TOKEN_EXCHANGE_FAILED'
  | 'TOKEN_REFRESH_NOT_FOUND'
  | 'TOKEN_REVOKED'
  | 'UNKNOWN_ERROR'
  | 'UPLOAD_INVALID'
  | 'UPLOAD_NSFW_CONTENT_DETECTED'
  | 'UPLOAD_TOO_LARGE'
  | 'UUID_INVALID'
