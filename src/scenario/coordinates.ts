import { Coordinates } from '../contract/coordinates.js'
import { exact } from './exact.js'

/** A place on earth as a scenario gives it, in degrees. */
export const CoordinatesEntry = exact(Coordinates.shape)
