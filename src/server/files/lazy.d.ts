// The types of lazy.cjs.
declare module '#lazy' {
  export function yaml(): import('../../core/scenario/yaml.js').Yaml
  /** Has the type `OpenApiDocument`, without `tags`. */
  export function controlOpenapi(): unknown
  /** A page as HTML, compressed by gzip, in base64. */
  export function dashboard(): string
  /** The page of a copy, without its world. */
  export function capsule(): string
  export function deviceLink(): string
  /** Throws if Express is not installed. */
  export function express(): typeof import('express')
}
