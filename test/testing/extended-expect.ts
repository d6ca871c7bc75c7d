import type { MockmakerMatchers } from '../../src/testing/matchers.js'

/** The `expect` of a runner with our matchers. */
export type Extended = (value: unknown) => MockmakerMatchers & { readonly not: MockmakerMatchers }
