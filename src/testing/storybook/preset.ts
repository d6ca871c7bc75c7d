// Storybook loads this module for `addons: ['mockmaker/storybook']`.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { checkInstalled } from '../../server/files/installed-version.js'

checkInstalled('mockmaker/storybook', { peer: 'storybook', from: import.meta.url })

type StaticDir = string | { readonly from: string; readonly to: string }

/** Serves MSW's worker, in the version that the project has. */
export function staticDirs(
  dirs: readonly StaticDir[] = [],
  { configDir }: { readonly configDir: string },
): StaticDir[] {
  const require = createRequire(join(configDir, 'main.js'))
  return [{ from: require.resolve('msw/mockServiceWorker.js'), to: '/mockServiceWorker.js' }, ...dirs]
}
