import { createHash } from 'node:crypto'
import type { SyncTransformer } from '@jest/transform'
import { transform } from 'sucrase'
import { version } from '../../version.js'

/** Turns ES modules into CommonJS, for Jest without ES modules. Leaves all else as it is. */
const transformer: SyncTransformer = {
  process(source, _path, { supportsStaticESM }) {
    if (supportsStaticESM || !isModule(source)) return { code: source }
    const readable = source.replaceAll('import.meta.url', fileUrl).replace(bareYield, 'yield void 0')
    const { code } = transform(readable, {
      transforms: ['imports'],
      disableESTransforms: true,
    })
    return { code }
  },
  getCacheKey(source, path, { configString, supportsStaticESM, instrument }) {
    const parts = [source, path, configString, supportsStaticESM, instrument, version]
    return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
  },
}

/** The URL of a CommonJS module. */
const fileUrl = "require('node:url').pathToFileURL(__filename).href"

/** A `yield` without a value, as a minifier writes it. Sucrase can read one before a semicolon or a brace only. */
const bareYield = /(?<![.$\w])yield(?=[,)])/g

/** A minified module has its exports behind a semicolon or a brace. */
function isModule(source: string): boolean {
  return /(?:^|[;}])(?:import|export)[\s{*'"]/m.test(source)
}

export default transformer
