/** How many play in each hour of the day where the sun is, to the mean of the day: few at five in the morning, most at nine in the evening. */
const byHour = [
  0.98, 0.72, 0.51, 0.38, 0.31, 0.29, 0.33, 0.43, 0.56, 0.69, 0.81, 0.92, 1.02, 1.08, 1.14, 1.22, 1.32, 1.44, 1.56,
  1.67, 1.75, 1.77, 1.68, 1.42,
] as const

const hourMs = 3_600_000
const degreesPerHour = 15

/** How many play at that time at that longitude, in degrees, to the mean of a day. `now` in ms since the epoch. */
export function activity(now: number, longitude: number): number {
  const hour = modulo(now / hourMs + longitude / degreesPerHour, byHour.length)
  const [before, part] = [Math.floor(hour), hour % 1]
  const [from = 1, to = 1] = [byHour[before], byHour[(before + 1) % byHour.length]]
  return from + (to - from) * part
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by
}
