import type { OpenMock } from '../support/entry-points.js'

type Run<Case> = (given: Case, fixtures: { readonly mock: Pick<OpenMock, 'send'> }) => Promise<void>

/** The functions that a specification uses: those of vitest, or a collector of the cases. */
export interface Frame {
  describe(name: string, specify: () => void): void
  readonly it: {
    (name: string, run: (fixtures: { readonly mock: Pick<OpenMock, 'send'> }) => Promise<void>): void
    for<Case>(cases: readonly Case[]): (name: string, run: Run<Case>) => void
  }
}
