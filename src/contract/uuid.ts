import * as z from 'zod'

/** A UUID, in lower case whatever it came in, as the service shows them. */
export const Uuid = z.guid('expected a UUID, as in 11111111-1111-4111-8111-111111111111').toLowerCase()
