import type { OpenMock } from '../support/entry-points.js'

type Run<Case> = (given: Case, there: { readonly mock: Pick<OpenMock, 'send'> }) => Promise<void>

/** What the specification is written in: vitest's words, or who else gathers what it says. */
export interface Frame {
  describe(name: string, specify: () => void): void
  readonly it: {
    (name: string, run: (there: { readonly mock: Pick<OpenMock, 'send'> }) => Promise<void>): void
    for<Case>(cases: readonly Case[]): (name: string, run: Run<Case>) => void
  }
}
