export { Coordinates, CoordinatesHeader } from './contract/coordinates.js'
export { DeviceLink, PreparedDeviceLink } from './contract/device-link.js'
export { anyCallErrors, ErrorBody, type ErrorCode, errorStatus } from './contract/error.js'
export { Game, RegionSummary, VersionSummary } from './contract/game.js'
export { GameMode } from './contract/game-mode.js'
export { Lobby } from './contract/lobby.js'
export { Namespace, NamespaceSummary } from './contract/namespace.js'
export { type OpenApiOptions, openapi } from './contract/openapi.js'
export type {
  OpenApiContent,
  OpenApiDocument,
  OpenApiHeader,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiPathItem,
  OpenApiReference,
  OpenApiResponse,
  OpenApiSchema,
} from './contract/openapi-document.js'
export type { Auth, Kind, Method, OperationSpec, Source } from './contract/operation.js'
export {
  type OperationId,
  type OperationInput,
  type OperationOutput,
  type Operations,
  operationIds,
  operations,
} from './contract/operations.js'
export { DevelopmentPort, Port, ProxyProtocol } from './contract/port.js'
export { Region } from './contract/region.js'
export { Uint32 } from './contract/uint32.js'
export { UniversalRegion } from './contract/universal-region.js'
export { Validation, ValidationError } from './contract/validation.js'
export { Watch, WatchIndex } from './contract/watch.js'
