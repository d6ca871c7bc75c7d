import * as z from 'zod'

/** A place on earth, in degrees: latitude -90 to 90, longitude -180 to 180. */
export const Coordinates = z.object({
  latitude: z.number().min(-90).max(90),
  longitude: z.number().min(-180).max(180),
})
export type Coordinates = z.output<typeof Coordinates>

const decimal = String.raw`[+-]?(?:\d+(?:\.\d*)?|\.\d+)`
const pair = new RegExp(`^ *(${decimal}) *, *(${decimal}) *$`)

/** The header `x-coords: lat,long` in degrees, spaces allowed; out of range they are taken as they are (PROTOCOL.md B4, C). */
export const CoordinatesHeader = z
  .string()
  .transform((text, context): Coordinates => {
    const [, latitude, longitude] = pair.exec(text) ?? []
    const place = { latitude: Number(latitude), longitude: Number(longitude) }
    if (Number.isFinite(place.latitude) && Number.isFinite(place.longitude)) return place
    context.addIssue({ code: 'custom', message: 'expected "latitude,longitude" in degrees, as in 52.52,13.40' })
    return z.NEVER
  })
  .meta({
    description:
      'Where the client is: latitude and longitude in degrees, as in `52.52,13.40`. Out of range, they go on around the globe.',
    pattern: pair.source,
  })
