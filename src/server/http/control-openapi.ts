import { controlOpenapi as generatedOpenapi } from '#lazy'
import type { OpenApiDocument, OpenApiOptions } from '../../core/contract/openapi.js'

/** Describes the control API as an OpenAPI 3.1 document. `npm run generate` makes it from the table of calls. */
export function controlOpenapi({ serverUrl, version = '0.0.0' }: OpenApiOptions): Omit<OpenApiDocument, 'tags'> {
  // Read from the package at the first request, because few mocks need it in memory.
  const { openapi, info, ...document } = generatedOpenapi() as OpenApiDocument
  return {
    openapi,
    info: { ...info, version },
    ...(serverUrl === undefined ? {} : { servers: [{ url: serverUrl }] }),
    ...document,
  }
}
