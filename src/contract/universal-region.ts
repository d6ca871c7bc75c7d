import * as z from 'zod'

/** The places by which the service knows regions of all providers, as its clients list them. */
export const UniversalRegion = z.enum([
  'unknown',
  'local',
  'amsterdam',
  'atlanta',
  'bangalore',
  'dallas',
  'frankfurt',
  'london',
  'mumbai',
  'newark',
  'new_york_city',
  'san_francisco',
  'singapore',
  'sydney',
  'tokyo',
  'toronto',
  'washington_dc',
  'chicago',
  'paris',
  'seattle',
  'sao_paulo',
  'stockholm',
  'chennai',
  'osaka',
  'milan',
  'miami',
  'jakarta',
  'los_angeles',
])
export type UniversalRegion = z.output<typeof UniversalRegion>
