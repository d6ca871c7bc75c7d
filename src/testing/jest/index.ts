import { fileURLToPath } from 'node:url'

export type {} from '@jest/expect'

import { checkInstalled } from '../../server/files/installed-version.js'
import type { MockmakerMatchers } from '../matchers.js'

checkInstalled('mockmaker/jest-preset', { peer: 'jest', part: 'jest-resolve', from: import.meta.url })

declare global {
  namespace jest {
    // The parameters must be those of @types/jest.
    // biome-ignore lint/complexity/noBannedTypes: @types/jest has it too
    interface Matchers<R, T = {}> extends MockmakerMatchers<R> {}
  }
}

declare module '@jest/expect' {
  interface Matchers<R extends void | Promise<void>> extends MockmakerMatchers<R> {}
}

/** The keys of Jest's configuration that the preset sets. */
export interface JestPreset {
  readonly setupFiles: readonly string[]
  readonly setupFilesAfterEnv: readonly string[]
  readonly testEnvironmentOptions: { readonly customExportConditions: readonly string[] }
  readonly transform: Readonly<Record<string, string>>
  readonly transformIgnorePatterns: string[]
}

const fileBeside = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** Packages of ES modules, which Jest can load only after a transformation, unless it runs with ES modules itself. */
const modulePackages = 'mockmaker|msw|@msw|@mswjs|@open-draft|cookie|headers-polyfill|rettime|until-async'
const ofModulePackages = `[/\\\\]node_modules[/\\\\](?:${modulePackages})[/\\\\].+\\.m?js$`

/** Keys of a configuration replace those of a preset. One that sets `transformIgnorePatterns`, as `next/jest`, needs these. */
export const transformIgnorePatterns: string[] = [
  `[/\\\\]node_modules[/\\\\](?!\\.pnpm[/\\\\]|(?:${modulePackages})[/\\\\])`,
  '\\.pnp\\.[^/\\\\]+$',
]

/**
 * A preset for Jest: `preset: 'mockmaker'`. Tests can import `mockmaker/node` as an ES module or by `require`, in Node and in
 * jsdom. `expect` has the matchers, and the error of a failed test shows its requests.
 */
const preset: JestPreset = {
  setupFiles: [fileBeside('./globals.js')],
  setupFilesAfterEnv: [fileBeside('./setup.js')],
  // With jsdom, Jest would otherwise load the entry points for browsers.
  testEnvironmentOptions: { customExportConditions: ['node'] },
  // Jest's own default is gone once a preset has transforms.
  transform: { [ofModulePackages]: fileBeside('./transform.js'), '\\.[jt]sx?$': 'babel-jest' },
  transformIgnorePatterns,
}

export default preset
