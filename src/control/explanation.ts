import type { WorldFaults } from '../server/faults.js'
import type { View } from '../store/world.js'

/** What is to be explained: a lobby, a request, or names. */
export interface Question {
  /** Why that lobby is listed, or is not. */
  readonly lobby_id?: string | undefined
  /** Why a request with that path is answered as it is. */
  readonly path?: string | undefined
  /** Default: GET. */
  readonly method?: string | undefined
  /** With that bearer token. Default: none. */
  readonly token?: string | undefined
  /** From a page of that Origin. Default: from none. */
  readonly origin?: string | undefined
  /** Why that name of a namespace passes, or does not. */
  readonly name_id?: string | undefined
  readonly display_name?: string | undefined
  /** The game that the namespace would be of: its id or its `name_id`. Default: the first one. */
  readonly game?: string | undefined
}

/** Why something is as it is. */
export interface Explanation {
  /** In a few words. */
  readonly verdict: string
  /** A sentence for each reason. */
  readonly because: readonly string[]
}

/** The world that is asked about, and how it is answered for. */
export interface ExplainedOf {
  readonly view: View
  /** Origins whose pages may read answers, beyond loopback and the pages of the namespaces. */
  readonly corsOrigins: readonly string[]
  /** Its made-up trouble. */
  readonly faults: Pick<WorldFaults, 'concerning'>
}
