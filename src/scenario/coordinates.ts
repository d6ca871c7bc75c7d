import { Coordinates } from '../contract/coordinates.js'
import { exact } from '../contract/exact.js'

/** A place on earth as a scenario gives it, in degrees. */
export const CoordinatesEntry = exact(Coordinates.shape)
