import * as z from 'zod'

const label = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?'
const hostName = new RegExp(`^(?=.{1,253}$)${label}(?:\\.${label})*$`)

/** A host name as browsers send it in an Origin. */
export const HostName = z
  .string()
  .regex(hostName, 'expected a host name in lower case, without scheme and port, as in tanks.example')
