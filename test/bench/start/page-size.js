// @ts-check
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'

/**
 * Bundles the script of a page as one file, minifies it, and returns its size after gzip, in bytes.
 *
 * rolldown copies long constants to where they are used. `inlineConst` turns that on, as in Vite 8. It puts MSW's list of
 * top-level domains into the bundle twice. Default: off.
 *
 * @param {string} script The text of a module. Its imports are absolute paths.
 * @param {{ readonly external?: RegExp, readonly inlineConst?: boolean }} [options]
 */
export async function pageSize(script, { external, inlineConst = false } = {}) {
  const build = await rolldown({
    input: 'page',
    platform: 'browser',
    optimization: { inlineConst },
    ...(external && { external }),
    plugins: [
      {
        name: 'page',
        resolveId: id => (id === 'page' ? id : null),
        load: id => (id === 'page' ? script : null),
      },
    ],
  })
  const { output } = await build.generate({ format: 'esm', minify: true, codeSplitting: false })
  await build.close()
  return gzipSync(output[0].code, { level: 9 }).length
}
