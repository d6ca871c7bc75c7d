import { describe, expect, it } from 'vitest'
import { type ErrorCode, errorStatus } from '../../../src/core/contract/errors.js'
import { FaultError } from '../../../src/core/contract/faults.js'

const codes = Object.keys(errorStatus) as ErrorCode[]

describe('the error table', () => {
  it('has the codes of PROTOCOL.md B1 and B6 to B9 with their statuses', () => {
    expect(errorStatus).toMatchObject({
      API_UNAUTHORIZED: 401,
      CLAIMS_MISSING_ENTITLEMENT: 401,
      TOKEN_INVALID: 400,
      CLAIMS_ENTITLEMENT_EXPIRED: 401,
      API_FORBIDDEN: 403,
      API_BAD_QUERY: 400,
      API_BAD_HEADERS: 400,
      API_BAD_BODY: 400,
      NAMESPACE_NOT_FOUND: 404,
      API_RATE_LIMIT: 429,
      TOKEN_EXPIRED: 400,
      CLOUD_DEVICE_LINK_ALREADY_COMPLETE: 400,
      API_NOT_FOUND: 404,
      API_METHOD_NOT_ALLOWED: 400,
      API_BODY_TOO_LARGE: 400,
      ERROR: 500,
    })
  })

  it('has the codes of PROTOCOL.md C with their statuses', () => {
    expect(errorStatus).toMatchObject({
      TOKEN_ERROR: 400,
      MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY: 400,
      MATCHMAKER_DYNAMIC_MAX_PLAYERS_INVALID: 400,
      MATCHMAKER_DYNAMIC_MAX_PLAYERS_DISABLED: 400,
      MATCHMAKER_TAGS_DISABLED: 400,
      CAPTCHA_CAPTCHA_REQUIRED: 403,
    })
  })

  // Its errors/ folder, at the versions that have these operations.
  it('has the other codes of the service with their statuses, so that a fault can answer each', () => {
    expect(errorStatus).toMatchObject({
      API_REQUEST_TIMEOUT: 500,
      API_BAD_HEADER: 400,
      CAPTCHA_CAPTCHA_INVALID: 403,
      CAPTCHA_CAPTCHA_FAILED: 400,
      CHIRP_STALE_MESSAGE: 500,
      CLOUD_INVALID_CONFIG: 400,
      GAME_NOT_FOUND: 400,
      GROUP_DEACTIVATED: 400,
      GROUP_NOT_MEMBER: 403,
      IDENTITY_NOT_REGISTERED: 403,
      MATCHMAKER_AUTO_CREATE_FAILED: 400,
      MATCHMAKER_CUSTOM_LOBBY_LIMIT_REACHED: 400,
      MATCHMAKER_IDENTITY_REQUIRED: 400,
      MATCHMAKER_LOBBY_NOT_STARTED: 400,
      MATCHMAKER_REGISTRATION_REQUIRED: 400,
      MATCHMAKER_VERIFICATION_FAILED: 400,
      MATCHMAKER_VERIFICATION_REQUEST_FAILED: 400,
      TOKEN_REVOKED: 403,
      TOKEN_REFRESH_NOT_FOUND: 403,
      UUID_INVALID: 400,
    })
    expect(codes.map(code => FaultError().safeParse({ code }).success)).toEqual(codes.map(() => true))
  })

  it('never has 408, which newer clients would send again', () => {
    expect(Object.values(errorStatus)).not.toContain(408)
  })
})
