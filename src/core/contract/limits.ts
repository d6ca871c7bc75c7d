import { nestingLimit } from '../lib/json.js'
import type { ErrorCode } from './errors.js'

/** A limit of the requests that an operation takes. */
export interface Limit {
  /** The counted things, for the docs. */
  readonly of: string
  readonly most: number
  /** The limit of the real service, if it is another one. */
  readonly service?: string
  /** The code that answers more. A validation lists the problem instead. */
  readonly code: ErrorCode
}

/** The limits of the bodies of operations. The checks, the schemas and the table of the docs come from here. */
export const limits = {
  bodyBytes: { of: 'bytes of a body', most: 1024 * 1024, service: 'below 10 GiB', code: 'API_BODY_TOO_LARGE' },
  bodyLevels: {
    of: 'objects and arrays of a body inside each other',
    most: nestingLimit,
    service: '127',
    code: 'API_BAD_BODY',
  },
  tags: { of: '`tags`', most: 8, code: 'MATCHMAKER_TOO_MANY_TAGS' },
  tagNameBytes: { of: 'bytes in the name of a tag', most: 128, code: 'MATCHMAKER_TAG_NAME_TOO_LONG' },
  tagBytes: { of: 'bytes in the value of a tag', most: 512, code: 'MATCHMAKER_TAG_TOO_LONG' },
  lobbyConfigBytes: {
    of: 'bytes of `lobby_config`, as JSON without spaces',
    most: 16 * 1024,
    code: 'MATCHMAKER_CUSTOM_LOBBY_CONFIG_INVALID',
  },
  lobbies: { of: '`lobby_count_max`', most: 4_294_967_295, service: '1 to 32767', code: 'API_BAD_BODY' },
  players: {
    of: '`max_players` of mm-config',
    most: 4_294_967_295,
    service: '1 to 2147483647',
    code: 'API_BAD_BODY',
  },
  ports: { of: 'ports of a development token', most: 16, code: 'VALIDATION_ERROR' },
  identifierBytes: { of: 'bytes of a `name_id`, or of the label of a port', most: 16, code: 'VALIDATION_ERROR' },
  displayNameBytes: { of: 'bytes of a `display_name`', most: 128, code: 'VALIDATION_ERROR' },
  domains: { of: 'domains of a namespace', most: 10, code: 'CDN_TOO_MANY_DOMAINS' },
  domainBytes: { of: 'bytes of a domain', most: 253, service: '255', code: 'CDN_INVALID_DOMAIN' },
} as const satisfies Readonly<Record<string, Limit>>
