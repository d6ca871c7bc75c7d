import type { TokenInfo } from '../store/token-info.js'
import type { World } from '../store/world.js'

/** What of a mock the pages show. */
export interface PageMock {
  readonly world: World
  readonly tokens: readonly TokenInfo[]
}

/** What the pages show, and where they stand. */
export interface PageContext {
  readonly mock: PageMock
  /** Where the mock answers, without a slash at its end. */
  readonly url: string
  /** The version of mockmaker. Default: not said. */
  readonly version?: string | undefined
}
