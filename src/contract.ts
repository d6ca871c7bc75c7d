export { DeviceLink, PreparedDeviceLink } from './contract/auth.js'
export { anyCallErrors, ErrorBody, type ErrorCode, errorStatus } from './contract/errors.js'
export { Uint32, Watch, WatchIndex } from './contract/formats.js'
export { Game, NamespaceSummary, VersionSummary } from './contract/games.js'
export { GameMode, Lobby } from './contract/lobbies.js'
export { DevelopmentPort, Namespace, Port, ProxyProtocol, Validation, ValidationError } from './contract/namespaces.js'
export type {
  OpenApiContent,
  OpenApiDocument,
  OpenApiHeader,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiResponse,
  OpenApiSchema,
} from './contract/openapi.js'
export { type OpenApiOptions, openapi } from './contract/openapi.js'
export type { Auth, Kind, Method, OperationSpec, Source } from './contract/operation.js'
export {
  type OperationId,
  type OperationInput,
  type OperationOutput,
  type Operations,
  operationIds,
  operations,
} from './contract/operations.js'
export { Coordinates, CoordinatesHeader, Region, RegionSummary, UniversalRegion } from './contract/regions.js'
