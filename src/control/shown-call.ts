import * as z from 'zod'
import { controlPath } from '../contract/paths.js'
import type { ControlSpec } from './operations.js'

/** A call as people read it. */
export interface ShownCall {
  readonly method: string
  readonly path: string
  readonly summary: string
  /** The parameters of its query, if it has any; all may be absent. */
  readonly query?: readonly string[]
  /** The keys of its body, where they are always the same: with a `?` those that may be absent. */
  readonly body?: readonly string[]
}

/** A call of the control API, as people read it. */
export function shownCall({ method, path, summary, query, body }: ControlSpec): ShownCall {
  return {
    method,
    path: `${controlPath}${path === '/' ? '' : path}`,
    summary,
    ...(query instanceof z.ZodObject ? { query: Object.keys(query.shape) } : {}),
    ...(body instanceof z.ZodObject ? { body: Object.entries(body.shape).map(keyText) } : {}),
  }
}

function keyText([name, schema]: readonly [string, unknown]): string {
  return schema instanceof z.ZodOptional ? `${name}?` : name
}
