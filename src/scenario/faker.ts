import type { Faker } from '@faker-js/faker'
import { faker } from '@faker-js/faker/locale/en'

/** A Faker of one's own, in English. This file loads the library: import it only when something is generated. */
export function createFaker(): Faker {
  // The class itself is exported only beside all locales, which take six times as long to load.
  const Own = faker.constructor as typeof Faker
  return new Own({ locale: faker.rawDefinitions })
}
