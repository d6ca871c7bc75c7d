import * as z from 'zod'
import type * as types from '../generated/operations.js'
import { didYouMean, quoted, UsageError } from '../lib/messages.js'
import { component } from '../lib/schemas.js'

/**
 * The HTTP status of each error code (PROTOCOL.md B1, B6 to B9, C). Some codes come from faults only.
 * "Not authorised" is 401. Generated clients map 408, but newer clients would retry a 408.
 */
export const errorStatus = {
  API_UNAUTHORIZED: 401,
  API_FORBIDDEN: 403,
  API_NOT_FOUND: 404,
  API_METHOD_NOT_ALLOWED: 400,
  API_BAD_QUERY: 400,
  API_BAD_HEADERS: 400,
  API_BAD_BODY: 400,
  API_BODY_TOO_LARGE: 400,
  API_REQUEST_LATE: 400,
  API_RATE_LIMIT: 429,
  API_UNAVAILABLE: 503,
  CLAIMS_MISSING_ENTITLEMENT: 401,
  CLAIMS_ENTITLEMENT_EXPIRED: 401,
  TOKEN_INVALID: 400,
  TOKEN_ERROR: 400,
  TOKEN_EXPIRED: 400,
  NAMESPACE_NOT_FOUND: 404,
  CLOUD_DEVICE_LINK_ALREADY_COMPLETE: 400,
  VALIDATION_ERROR: 400,
  CDN_INVALID_DOMAIN: 400,
  CDN_TOO_MANY_DOMAINS: 400,
  CLOUD_HOSTNAME_TAKEN: 400,
  MATCHMAKER_GAME_MODE_NOT_FOUND: 400,
  MATCHMAKER_NO_GAME_MODE_PROVIDED: 400,
  MATCHMAKER_REGION_NOT_FOUND: 400,
  MATCHMAKER_REGION_NOT_ENABLED_FOR_GAME_MODE: 400,
  MATCHMAKER_LOBBY_NOT_FOUND: 400,
  MATCHMAKER_LOBBY_FULL: 400,
  MATCHMAKER_LOBBY_CLOSED: 400,
  MATCHMAKER_LOBBY_STOPPED: 400,
  MATCHMAKER_NO_AVAILABLE_LOBBIES: 400,
  MATCHMAKER_TOO_MANY_LOBBIES: 400,
  MATCHMAKER_TOO_MANY_PLAYERS_FROM_SOURCE: 400,
  MATCHMAKER_FIND_DISABLED: 400,
  MATCHMAKER_JOIN_DISABLED: 400,
  MATCHMAKER_CUSTOM_LOBBIES_DISABLED: 400,
  MATCHMAKER_CUSTOM_LOBBY_CONFIG_INVALID: 400,
  MATCHMAKER_TOO_MANY_TAGS: 400,
  MATCHMAKER_TAG_NAME_TOO_LONG: 400,
  MATCHMAKER_TAG_TOO_LONG: 400,
  MATCHMAKER_PLAYER_ALREADY_CONNECTED: 400,
  MATCHMAKER_PLAYER_REGISTRATION_EXPIRED: 400,
  MATCHMAKER_PLAYER_REMOVED: 400,
  MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY: 400,
  MATCHMAKER_DYNAMIC_MAX_PLAYERS_INVALID: 400,
  MATCHMAKER_DYNAMIC_MAX_PLAYERS_DISABLED: 400,
  MATCHMAKER_TAGS_DISABLED: 400,
  ERROR: 500,
  // The other codes of the service. Only faults, and resolvers of our users, answer them.
  CAPTCHA_CAPTCHA_REQUIRED: 403,
  API_BAD_CONTENT_LENGTH: 400,
  API_BAD_COOKIE: 400,
  API_BAD_HEADER: 400,
  API_BAD_QUERY_PARAMETER: 400,
  API_CORS_HEADER_NOT_ALLOWED: 400,
  API_CORS_METHOD_NOT_ALLOWED: 400,
  API_CORS_ORIGIN_NOT_ALLOWED: 400,
  API_INVALID_IP: 400,
  API_MISSING_COOKIE: 400,
  API_MISSING_HEADER: 400,
  API_REQUEST_TIMEOUT: 500,
  BILLING_NOT_ENABLED: 400,
  CAPTCHA_CAPTCHA_FAILED: 400,
  CAPTCHA_CAPTCHA_INVALID: 403,
  CAPTCHA_CAPTCHA_ORIGIN_NOT_ALLOWED: 400,
  CDN_INVALID_AUTH_USER_PASSWORD: 400,
  CDN_TOO_MANY_AUTH_USERS: 400,
  CHAT_INVALID_BODY: 400,
  CHAT_INVALID_TOPIC: 400,
  CHAT_THREAD_NOT_FOUND: 400,
  CHIRP_RECURSIVE_REQUEST: 500,
  CHIRP_REQUEST_TIMEOUT: 500,
  CHIRP_STALE_MESSAGE: 500,
  CLI_SCRIPT_NOT_FOUND: 400,
  CLOUD_INVALID_CONFIG: 400,
  CLOUD_TOO_MANY_PENDING_HOSTNAMES_FOR_GROUP: 400,
  DB_INVALID_BUCKET: 500,
  GAME_NOT_FOUND: 400,
  GAME_USER_LINK_FAILED: 400,
  GLOB_INVALID: 400,
  GROUP_ALREADY_MEMBER: 400,
  GROUP_CANNOT_REQUEST_JOIN: 400,
  GROUP_DEACTIVATED: 400,
  GROUP_ENTERPRISE_RESTRICTION: 400,
  GROUP_FAILED_TO_CONSUME_INVITE: 400,
  GROUP_FULL: 400,
  GROUP_INSUFFICIENT_PERMISSIONS: 403,
  GROUP_INVALID_DEVELOPER_STATUS: 400,
  GROUP_INVITE_CODE_ALREADY_USED: 400,
  GROUP_INVITE_CODE_EXPIRED: 400,
  GROUP_INVITE_CODE_INVALID: 400,
  GROUP_INVITE_CODE_REVOKED: 400,
  GROUP_JOIN_REQUEST_ALREADY_EXISTS: 400,
  GROUP_MEMBER_BANNED: 400,
  GROUP_NOT_DEVELOPER_GROUP: 400,
  GROUP_NOT_FOUND: 400,
  GROUP_NOT_JOINABLE: 400,
  GROUP_NOT_MEMBER: 403,
  IDENTITY_NOT_ADMIN: 403,
  IDENTITY_NOT_FOUND: 400,
  IDENTITY_NOT_REGISTERED: 403,
  IDENTITY_WRONG_IDENTITY: 403,
  INTERNAL_STATUS_CHECK_FAILED: 500,
  KV_BATCH_TOO_LARGE: 400,
  KV_ENTRIES_MISSING: 400,
  KV_KEYS_MISSING: 400,
  KV_KEY_VALIDATION_ERROR: 400,
  KV_VALUE_TOO_LONG: 400,
  MATCHMAKER_AUTO_CREATE_FAILED: 400,
  MATCHMAKER_CUSTOM_LOBBY_LIMIT_REACHED: 400,
  MATCHMAKER_IDENTITY_REQUIRED: 400,
  MATCHMAKER_INVALID_VERSION_CONFIG: 400,
  MATCHMAKER_LOBBY_NOT_STARTED: 400,
  MATCHMAKER_REGISTRATION_REQUIRED: 400,
  MATCHMAKER_VERIFICATION_FAILED: 400,
  MATCHMAKER_VERIFICATION_REQUEST_FAILED: 400,
  MODULE_ERROR_STATUS: 500,
  MODULE_INSTANCE_DESTROYED: 500,
  MODULE_INSTANCE_STARTING: 500,
  MODULE_KEY_NOT_FOUND: 400,
  MODULE_MALFORMED_RESPONSE: 500,
  MODULE_REQUEST_FAILED: 500,
  MODULE_SCRIPT_NOT_FOUND: 400,
  NSFW_IMAGE_REQUEST_FAILED: 500,
  TOKEN_EXCHANGE_FAILED: 400,
  TOKEN_REFRESH_NOT_FOUND: 403,
  TOKEN_REVOKED: 403,
  UNKNOWN_ERROR: 500,
  UPLOAD_INVALID: 400,
  UPLOAD_NSFW_CONTENT_DETECTED: 400,
  UPLOAD_TOO_LARGE: 400,
  UUID_INVALID: 400,
} as const

/** The status of a request whose client closed the connection before the answer, as nginx logs it. It is no failure of the mock. */
export const clientClosedRequest = 499

/** Tells whether the mock failed a request. Status 0 is no answer. */
export function hasFailed({ status }: { readonly status: number }): boolean {
  return (status === 0 || status >= 400) && status !== clientClosedRequest
}

/** The code of an error. */
export type ErrorCode = types.ErrorCode

/** The codes that every operation may answer (PROTOCOL.md B1, B9). */
export const anyCallErrors: readonly ErrorCode[] = [
  'API_FORBIDDEN',
  'API_NOT_FOUND',
  'API_METHOD_NOT_ALLOWED',
  'API_RATE_LIMIT',
  'CLAIMS_ENTITLEMENT_EXPIRED',
  'TOKEN_INVALID',
  'ERROR',
]

/** The body of every failure. Clients throw a parse error if `code` or `message` is missing. */
export const ErrorBody = component('ErrorBody', 'The body of every failure.', () => ({
  code: z.string().meta({ description: 'One of the error codes.' }),
  message: z.string().meta({ description: 'A sentence for people: what is wrong, where, and what to do.' }),
  documentation: z.string().optional(),
  metadata: z.unknown().optional(),
}))
export type ErrorBody = types.ErrorBody

export interface ApiErrorExtras {
  /** Extra headers of the answer, such as `retry-after`. Lower case. */
  readonly headers?: Readonly<Record<string, string>>
  readonly metadata?: unknown
}

/**
 * The service refuses a request. A resolver throws it, and the client gets `{code, message, metadata?}`.
 * An unknown code throws `UsageError`.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly extras: ApiErrorExtras = {},
  ) {
    super(message)
    if (!Object.hasOwn(errorStatus, code)) {
      throw new UsageError(
        `ApiError: ${quoted(code)} is not an error code.${didYouMean(code, Object.keys(errorStatus))}`,
      )
    }
    this.status = errorStatus[code]
  }

  get body(): ErrorBody {
    const { metadata } = this.extras
    return { code: this.code, message: this.message, ...(metadata === undefined ? {} : { metadata }) }
  }
}

/** The mock cannot answer now. The client may ask again. */
export class UnavailableError extends ApiError {
  /** The newest revision that may be kept. Later changes are certainly not. */
  readonly keptUpTo: number

  /** `keptUpTo` defaults to infinity: nobody knows which changes are kept. */
  constructor(message: string, { keptUpTo = Number.POSITIVE_INFINITY }: { readonly keptUpTo?: number } = {}) {
    super('API_UNAVAILABLE', message, { headers: { 'retry-after': '1' } })
    this.keptUpTo = keptUpTo
  }
}

/**
 * Adds to the error of a storage that the changes of a request may be kept all the same. `since`: the first of their revisions.
 * `undefined` if it changed nothing.
 */
export function withUnknownOutcome(error: unknown, since: number | undefined): unknown {
  if (since === undefined || !(error instanceof UnavailableError) || since > error.keptUpTo) return error
  return new UnavailableError(
    `${error.message}. The outcome of this request is unknown: read the world before you send it again`,
  )
}
