import type { MockmakerMatchers } from '../../src/testing/matchers.js'

/** The `expect` of a runner with our matchers. */
export type Extended = (value: unknown) => MockmakerMatchers & { readonly not: MockmakerMatchers }

/** Removes the colours that a runner adds. */
export const plain = (message: string) => message.replaceAll(new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g'), '')
