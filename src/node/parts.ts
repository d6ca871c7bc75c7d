import { AsyncLocalStorage } from 'node:async_hooks'
import { createRequire } from 'node:module'
import type { Faker } from '@faker-js/faker'
import type { Parts } from '../mock.js'

/** What Node gives a mock: fake data that is loaded when something is generated, and turns that know what runs inside them. */
export function nodeParts(): Parts {
  return {
    // `require` knows no types; this is the module of the type that is imported above.
    faker: () => (createRequire(import.meta.url)('@faker-js/faker/locale/en') as { readonly faker: Faker }).faker,
    turnContext: new AsyncLocalStorage<object>(),
  }
}
