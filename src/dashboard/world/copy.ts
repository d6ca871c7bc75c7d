import type { ComponentType } from 'preact'
import { defaultWorldId } from '../../core/contract/paths.js'

// A copy of a world: a file with the page, the world, and the mock that runs it. The page of a server has none of this.

export interface Copy {
  /** The name of the file. */
  readonly file: string
  /** The URL of the mock, for the page's own calls and for the texts that it shows. Nobody else reaches the mock there. */
  readonly url: string
  /** Answers the calls of the page. */
  readonly fetch: typeof globalThis.fetch
  readonly operationIds: readonly string[]
}

/** The parts of the page that only a copy has. */
export interface CopyParts {
  /** Says below the header that it is a copy. */
  readonly Banner: ComponentType
  /** Says below the lobbies where the game servers are. */
  readonly NoServers: ComponentType
  /** Says above the details of a failed request which error it is. */
  readonly ErrorBadge: ComponentType
  /** Saves a copy of the world that the page shows, as it is now. */
  save(): Promise<void>
}

/** The parts of the page that only a server has. */
export interface ServedParts {
  /** What the page says while a world has no request. */
  readonly Invitation: ComponentType
  /** What to try after the first requests. */
  readonly TryNext: ComponentType
}

export let servedParts: ServedParts | undefined

/** Gives the page of a server its own parts. */
export function addServedParts(parts: ServedParts): void {
  servedParts = parts
}

/** The copy that this page is. `undefined`: a server has the world. */
export let copy: Copy | undefined

export let copyParts: CopyParts | undefined

/** Makes this page that of a copy. Call it before the state of the page exists. */
export function becomeCopy(made: Copy): void {
  copy = made
}

/** Gives the page of a copy its own parts. */
export function addParts(parts: CopyParts): void {
  copyParts = parts
}

/** Returns the name that the page shows for a world: its id, or the name of the file whose world it is. */
export function worldName(id: string | undefined): string | undefined {
  return copy && id === defaultWorldId ? copy.file : id
}
