import type { Faker } from '@faker-js/faker'

/** A Faker of one's own, of the same class and locale as the library's shared one, whose seed belongs to everybody. */
export function ownFaker(shared: Faker): Faker {
  // The class itself is exported only beside all locales, which take six times as long to load.
  const Own = shared.constructor as typeof Faker
  return new Own({ locale: shared.rawDefinitions })
}
