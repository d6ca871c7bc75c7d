import { Coordinates } from '../contract/coordinates.js'
import { exact } from '../contract/exact.js'

/** A place on earth as a scenario gives it, in degrees. */
export const CoordinatesEntry = exact({
  latitude: Coordinates.shape.latitude.meta({ description: 'In degrees: north is above 0.', examples: [52.52] }),
  longitude: Coordinates.shape.longitude.meta({ description: 'In degrees: east is above 0.', examples: [13.4] }),
})
