import type * as z from 'zod'
import type { Method } from './operation.js'

/** A schema as OpenAPI 3.1 has it: JSON Schema of draft 2020-12. */
export type OpenApiSchema = z.core.JSONSchema.BaseSchema

/** An OpenAPI 3.1 document, as far as the service needs one. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly servers?: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Readonly<Record<string, OpenApiPathItem>>
  readonly components: {
    readonly schemas: Readonly<Record<string, OpenApiSchema>>
    readonly headers: Readonly<Record<string, OpenApiHeader>>
    readonly securitySchemes: Readonly<
      Record<string, { readonly type: 'http'; readonly scheme: 'bearer'; readonly description: string }>
    >
  }
}

/** The operations at a path, by method. */
export type OpenApiPathItem = { readonly [method in Lowercase<Method>]?: OpenApiOperation }

/** One operation: what it is for, whom it answers, and with what. */
export interface OpenApiOperation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  /** Each is enough; `{}` is no token. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly OpenApiParameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: OpenApiContent }
  /** By status. */
  readonly responses: Readonly<Record<string, OpenApiResponse>>
}

/** A parameter of a path, of a query, or a header. */
export interface OpenApiParameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description?: string
  readonly schema: OpenApiSchema
  readonly example: string
}

/** What is answered with one status. */
export interface OpenApiResponse {
  readonly description: string
  readonly headers: Readonly<Record<string, OpenApiReference>>
  /** Absent where the body is empty. */
  readonly content?: OpenApiContent
}

/** A body: JSON, always. */
export interface OpenApiContent {
  readonly 'application/json': { readonly schema: OpenApiSchema; readonly example?: unknown }
}

/** A header that responses refer to. */
export interface OpenApiHeader {
  readonly description: string
  readonly required?: boolean
  readonly schema: OpenApiSchema
}

/** Stands for a component of the document: `#/components/…`. */
export interface OpenApiReference {
  readonly $ref: string
}
