import geodesic from 'geographiclib-geodesic'
import type { Coordinates, Region } from '../contract/regions.js'

const milesInKilometer = 0.621371

/** The distance along the WGS84 geodesic between two places; 0 where the client's is unknown (PROTOCOL.md B4). */
export function distance(
  client: Coordinates | undefined,
  datacenter: Coordinates,
): Region['datacenter_distance_from_client'] {
  if (client === undefined) return { kilometers: 0, miles: 0 }
  const { Geodesic } = geodesic
  const { latitude, longitude } = datacenter
  const from = onGlobe(client)
  const { s12: meters = 0 } = Geodesic.WGS84.Inverse(
    from.latitude,
    from.longitude,
    latitude,
    longitude,
    Geodesic.DISTANCE,
  )
  // To the millimetre: engines differ in the last bits of a sine, and every door answers the same bytes.
  const kilometers = Math.round(meters * 1000) / 1_000_000
  return { kilometers, miles: kilometers * milesInKilometer }
}

/** The same place with degrees in range. A client may send any; beyond a pole the latitude goes down on the other side. */
function onGlobe({ latitude, longitude }: Coordinates): Coordinates {
  const around = longitude % 360
  if (Math.abs(latitude) <= 90) return { latitude, longitude: around }
  const turned = ((latitude % 360) + 360) % 360
  if (turned > 90 && turned < 270) return { latitude: 180 - turned, longitude: around + 180 }
  return { latitude: turned >= 270 ? turned - 360 : turned, longitude: around }
}
