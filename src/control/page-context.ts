import type { World } from '../store/world.js'

/** A token of the scenario, and whose it is, as a mock lists them. */
export type PageToken =
  | { readonly kind: 'development' | 'public'; readonly namespace: string; readonly token: string }
  | { readonly kind: 'cloud'; readonly game: string; readonly token: string }

/** What of a mock the pages show. */
export interface PageMock {
  readonly world: World
  readonly tokens: readonly PageToken[]
}

/** What the pages show, and where they stand. */
export interface PageContext {
  readonly mock: PageMock
  /** Where the mock answers, without a slash at its end. */
  readonly url: string
  /** The version of mockmaker. Default: not said. */
  readonly version?: string | undefined
  /** Origins whose pages may read the OpenAPI document, beyond loopback and the domains of the namespaces. Default: none. */
  readonly corsOrigins?: readonly string[] | undefined
}
