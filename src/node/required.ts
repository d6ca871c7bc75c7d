import { createRequire } from 'node:module'
import type { Faker } from '@faker-js/faker'
import type { Yaml } from '../scenario/yaml.js'

// Libraries that are loaded when they are used, in the midst of a synchronous call. `require` knows no types: each is
// given that of the module that it loads.
const require = createRequire(import.meta.url)

/** The library of fake data: its shared instance. */
export const requireFaker = () => (require('@faker-js/faker/locale/en') as { readonly faker: Faker }).faker

/** The YAML library. */
export const requireYaml = () => require('yaml') as Yaml
