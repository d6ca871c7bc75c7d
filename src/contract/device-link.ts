import * as z from 'zod'
import { Watch } from './watch.js'

/** Where a device link's URL leads, with its token at the end. */
export const deviceLinkPath = '/devices/link/'

/** A new device link: the token the device watches, and the URL on which a person completes it. */
export const PreparedDeviceLink = z
  .object({ device_link_id: z.string(), device_link_token: z.string(), device_link_url: z.string() })
  .meta({
    id: 'PreparedDeviceLink',
    description: 'A new device link: the token the device watches, and the URL on which a person completes it.',
  })

/** Where a device link stands. `cloud_token` is absent until a person has completed the link. */
export const DeviceLink = z.object({ cloud_token: z.string().optional(), watch: Watch }).meta({
  id: 'DeviceLink',
  description: 'Where a device link stands. `cloud_token` is absent until a person has completed the link.',
})
