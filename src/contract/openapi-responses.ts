import { anyCallErrors, ErrorBody, type ErrorCode, errorStatus } from './error.js'
import type { OpenApiHeader, OpenApiReference, OpenApiResponse } from './openapi-document.js'
import type { OpenApiSchemas } from './openapi-schema.js'
import type { OperationSpec } from './operation.js'

/** The headers that responses refer to. */
export const openApiHeaders = {
  'rvt-ray-id': {
    description: 'An id for the request. The log of the mock has it too.',
    required: true,
    schema: { type: 'string', format: 'uuid' },
  },
  allow: {
    description: 'With `API_METHOD_NOT_ALLOWED`: the methods that the path allows, separated by commas.',
    schema: { type: 'string' },
  },
  'retry-after': {
    description: 'With `API_RATE_LIMIT`: in how many seconds to try again.',
    schema: { type: 'integer', minimum: 0 },
  },
} as const satisfies { readonly [name: string]: OpenApiHeader }

type HeaderName = keyof typeof openApiHeaders

/** The headers that come with some codes. */
const headersOf: { readonly [code in ErrorCode]?: HeaderName } = {
  API_METHOD_NOT_ALLOWED: 'allow',
  API_RATE_LIMIT: 'retry-after',
}

/** The codes that a call of an operation may answer, in the order of the error table. */
function errorCodesOf({ errors, body, jsonBody }: OperationSpec): ErrorCode[] {
  const ofBody = body || jsonBody ? ['API_BODY_TOO_LARGE'] : []
  const possible = new Set<string>([...anyCallErrors, ...errors, ...ofBody])
  // The keys of the error table are the codes.
  return (Object.keys(errorStatus) as ErrorCode[]).filter(code => possible.has(code))
}

/** The responses of an operation by status: its success, and one for each status among its error codes. */
export function openApiResponses(spec: OperationSpec, schemas: OpenApiSchemas): Record<string, OpenApiResponse> {
  const codes = errorCodesOf(spec)
  const statuses = [...new Set(codes.map(code => errorStatus[code]))].sort()
  const failures = statuses.map(status => {
    const ofStatus = codes.filter(code => errorStatus[code] === status)
    return [String(status), failure(ofStatus, schemas)] as const
  })
  return { '200': success(spec, schemas), ...Object.fromEntries(failures) }
}

function success({ output }: OperationSpec, schemas: OpenApiSchemas): OpenApiResponse {
  const headers = headerReferences([])
  if (!output) return { description: 'Done. The body is empty.', headers }
  return { description: 'Done.', headers, content: { 'application/json': { schema: schemas.of(output, 'answer') } } }
}

function failure(codes: readonly ErrorCode[], schemas: OpenApiSchemas): OpenApiResponse {
  return {
    description: `Fails with one of these codes: ${codes.map(code => `\`${code}\``).join(', ')}.`,
    headers: headerReferences(codes),
    content: {
      'application/json': {
        schema: {
          allOf: [schemas.of(ErrorBody, 'answer'), { type: 'object', properties: { code: { enum: [...codes] } } }],
        },
      },
    },
  }
}

function headerReferences(codes: readonly ErrorCode[]): Record<string, OpenApiReference> {
  const names = ['rvt-ray-id', ...codes.flatMap(code => headersOf[code] ?? [])]
  return Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))
}
