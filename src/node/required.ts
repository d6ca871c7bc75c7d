import { createRequire } from 'node:module'
import type { Yaml } from '../scenario/yaml.js'

const require = createRequire(import.meta.url)

/** Loads the YAML library, in the midst of a synchronous call. */
export const requireYaml = () => require('yaml') as Yaml // `require` knows no types
