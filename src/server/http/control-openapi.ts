import { controlOpenapi as generatedOpenapi } from '#lazy'
import type { OpenApiOptions, OpenApiSchema } from '../../core/contract/openapi.js'

/** The control API as an OpenAPI 3.1 document. */
export interface ControlDocument {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly servers?: readonly { readonly url: string }[]
  /** By path, then by method. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, ControlOperation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, OpenApiSchema>>
    readonly securitySchemes: object
  }
}

/** A call of the control API. */
export interface ControlOperation {
  readonly operationId: string
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: OpenApiSchema }[]
  readonly requestBody?: { readonly required: boolean; readonly content: ControlContent }
  /** By status. */
  readonly responses: Readonly<Record<string, { readonly content: ControlContent }>>
}

/** A body, by its media type. */
type ControlContent = Readonly<Record<string, { readonly schema: OpenApiSchema }>>

/** Describes the control API as an OpenAPI 3.1 document. `npm run generate` makes it from the table of calls. */
export function controlOpenapi({ serverUrl, version = '0.0.0' }: OpenApiOptions): ControlDocument {
  // From the package when somebody asks: nobody else needs it in memory.
  const { openapi, info, ...document } = generatedOpenapi() as ControlDocument
  return {
    openapi,
    info: { ...info, version },
    ...(serverUrl === undefined ? {} : { servers: [{ url: serverUrl }] }),
    ...document,
  }
}
