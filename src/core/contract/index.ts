import type * as types from '../generated/operations.js'
import * as auth from './auth.js'
import * as errors from './errors.js'
import * as formats from './formats.js'
import * as games from './games.js'
import * as lobbies from './lobbies.js'
import * as namespaces from './namespaces.js'
import type { OperationDetails } from './operation.js'
import * as contract from './operations.js'
import * as regions from './regions.js'

/** A problem that a schema found. */
export interface SchemaIssue {
  readonly message: string
  /** The keys that lead to the wrong value. Absent or empty for the whole value. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** The result of a check: the parsed value, or the problems. */
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] }

/** A schema. It is a Standard Schema, so it works with every library that accepts these: https://standardschema.dev */
export interface Schema<Output = unknown, Input = Output> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
  /** Returns the parsed value. Throws if the value is wrong: the error has `issues`. */
  parse(value: unknown): Output
}

/** One HTTP call of the service, as data. The schemas of the request are for its text: a query has strings only. */
export interface Operation<Id extends types.OperationId = types.OperationId> extends OperationDetails {
  readonly params?: Schema<object, unknown>
  readonly query?: Schema<object, unknown>
  readonly headers?: Schema<object, unknown>
  readonly body?: Schema<object, unknown>
  /** Replaces `body` if the body may be any JSON. An empty body is `undefined`. */
  readonly jsonBody?: Schema<unknown>
  /** Absent if the body of the answer is empty. */
  readonly output?: Schema<types.OperationOutputs[Id]>
}

/** The type of the table of operations: each operation by its id. */
export type Operations = { readonly [Id in types.OperationId]: Operation<Id> }

/** The table of operations. Routes, types, resolvers, OpenAPI and docs come from it. */
export const operations: Operations = contract.operations

/** The status of a device link. */
export const DeviceLink: Schema<types.DeviceLink> = auth.DeviceLink()
export const PreparedDeviceLink: Schema<types.PreparedDeviceLink> = auth.PreparedDeviceLink()
export const ErrorBody: Schema<types.ErrorBody> = errors.ErrorBody()
/** An unsigned 32-bit integer: 0 to 4294967295. */
export const Uint32: Schema<number> = formats.Uint32
export const Watch: Schema<types.Watch> = formats.Watch
/** The query parameter `watch_index`. */
export const WatchIndex: Schema<bigint, string> = formats.WatchIndex
export const Game: Schema<types.Game> = games.Game()
export const NamespaceSummary: Schema<types.NamespaceSummary> = games.NamespaceSummary()
export const VersionSummary: Schema<types.VersionSummary> = games.VersionSummary()
export const GameMode: Schema<types.GameMode> = lobbies.GameMode()
export const Lobby: Schema<types.Lobby> = lobbies.Lobby()
export const DevelopmentPort: Schema<types.DevelopmentPort> = namespaces.DevelopmentPort()
export const Namespace: Schema<types.Namespace> = namespaces.Namespace()
export const Port: Schema<types.Port> = namespaces.Port()
export const ProxyProtocol: Schema<types.ProxyProtocol> = namespaces.ProxyProtocol()
export const Validation: Schema<types.Validation> = namespaces.Validation()
export const ValidationError: Schema<types.ValidationError> = namespaces.ValidationError()
export const Coordinates: Schema<types.Coordinates> = regions.Coordinates()
/** The header `x-coords: lat,long` in degrees. */
export const CoordinatesHeader: Schema<types.Coordinates, string> = regions.CoordinatesHeader()
export const Region: Schema<types.Region> = regions.Region()
export const RegionSummary: Schema<types.RegionSummary> = regions.RegionSummary()
export const UniversalRegion: Schema<types.UniversalRegion> = regions.UniversalRegion()

export type DeviceLink = types.DeviceLink
export type PreparedDeviceLink = types.PreparedDeviceLink
export type ErrorBody = types.ErrorBody
export type Watch = types.Watch
export type Game = types.Game
export type NamespaceSummary = types.NamespaceSummary
export type VersionSummary = types.VersionSummary
export type GameMode = types.GameMode
export type Lobby = types.Lobby
export type DevelopmentPort = types.DevelopmentPort
export type Namespace = types.Namespace
export type Port = types.Port
export type ProxyProtocol = types.ProxyProtocol
export type Validation = types.Validation
export type ValidationError = types.ValidationError
export type Coordinates = types.Coordinates
export type Region = types.Region
export type RegionSummary = types.RegionSummary
export type UniversalRegion = types.UniversalRegion

export type * from '../generated/operations.js'
export { anyCallErrors, errorStatus } from './errors.js'
export type {
  OpenApiContent,
  OpenApiDocument,
  OpenApiHeader,
  OpenApiOperation,
  OpenApiOptions,
  OpenApiParameter,
  OpenApiResponse,
  OpenApiSchema,
} from './openapi.js'
export { openapi } from './openapi.js'
export type { Auth, Kind, Method, OperationDetails, Source } from './operation.js'
export { type OperationInput, type OperationOutput, operationIds } from './operations.js'
