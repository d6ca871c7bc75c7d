import { createRequire } from 'node:module'
import type { http as Http } from 'msw'

const require = createRequire(import.meta.url)

// In Node the build reads `http` from here, not from `msw` (package.json § imports): the whole of MSW 2 loads GraphQL too.
export const { http } = load()

/** The module that `import` would load: both take MSW's `module-sync`. */
function load(): { readonly http: typeof Http } {
  try {
    return require('msw/core/http')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_PACKAGE_PATH_NOT_EXPORTED')) throw error
    // MSW 3 has no such entry, and its whole loads nothing that is not needed.
    return require('msw')
  }
}
