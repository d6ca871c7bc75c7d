import * as z from 'zod'
import { Identifier } from '../contract/formats.js'
import { Port } from '../contract/namespaces.js'
import { Coordinates } from '../contract/regions.js'
import type * as types from '../generated/rows.js'

// Columns and lifetimes that several tables share.

// Not `\p{Cc}`: other tools read the pattern in the schema.
const controlCharacters = String.raw`\u0000-\u001f\u007f-\u009f`
const idPattern = new RegExp(String.raw`^[^/\s${controlCharacters}]{1,128}$`)

/** An id. Paths and tokens contain ids. Keys of the store join ids by `/` and by spaces. */
export const Id = z
  .string()
  .regex(idPattern, 'expected 1 to 128 characters without white space, control characters or /')
  .refine(id => id !== '.' && id !== '..', 'expected an id that a path can contain: not . or ..')
  .refine(id => !/\p{Surrogate}/u.test(id), 'expected whole characters, not half of a surrogate pair')

/** The prefix of lobby tokens. No other token has it. */
export const lobbyTokenPrefix = 'lobby.mock.'

/** A token, except a lobby's. Tokens are opaque, and may be longer than ids (PROTOCOL.md B1). */
export const Token = z
  .string()
  .regex(/^[!-~]+$/, 'expected a token: visible ASCII without white space')
  .refine(
    token => !token.startsWith(lobbyTokenPrefix),
    `expected a token that does not begin with ${lobbyTokenPrefix}, as only tokens of lobbies do`,
  )
  .meta({ description: 'A token. Default: from the seed.', examples: ['cloud.mock.desk'] })

const { latitude, longitude } = Coordinates().shape

/** A place on earth. */
export const Location = z.strictObject({
  latitude: latitude.meta({ description: 'Degrees north.', examples: [52.52] }),
  longitude: longitude.meta({ description: 'Degrees east.', examples: [13.4] }),
})

const { target_port, port_range, proxy_protocol } = Port().shape
const { min, max } = port_range.unwrap().shape

/** A port of a game server, whose label is an identifier. */
export const LobbyPort = z
  .strictObject({
    label: Identifier.meta({ description: 'The name of the port for clients.', examples: ['default'] }),
    target_port: target_port.meta({
      description: 'The one port. A server that the mock starts gets a free one instead.',
      examples: [7777],
    }),
    fixed: z
      .int()
      .min(1)
      .max(65_535)
      .optional()
      .meta({
        description: 'The one port, also of a server that the mock starts: one runs at a time.',
        examples: [7777],
      }),
    port_range: z
      .strictObject({
        min: min.meta({ description: 'The first port.', examples: [26_000] }),
        max: max.meta({ description: 'The last port.', examples: [26_010] }),
      })
      .optional()
      .describe('Ports from min to max, in place of target_port.'),
    proxy_protocol: proxy_protocol.describe('The protocol by which clients reach the port.'),
  })
  .describe('A port of a game server.')
export type LobbyPort = types.LobbyPort

/** The ports of a game server, with different labels. */
export const LobbyPorts = z.array(LobbyPort).superRefine((ports, context) => {
  const labels = ports.map(({ label }) => label)
  for (const [i, label] of labels.entries())
    if (labels.indexOf(label) < i)
      context.addIssue({ code: 'custom', path: [i, 'label'], message: 'expected a label that no other port has' })
})

/** The port of a game server whose scenario names none (PROTOCOL.md C). */
export const defaultPort = { label: 'default', target_port: 7777, proxy_protocol: 'http' } as const

/** The host of a game server, and the ports that it opens. An object without keys says that it opens none. */
export const ServerPorts = z.strictObject({
  hostname: z
    .string()
    .optional()
    .meta({
      description:
        "The host of game servers, with {lobby_id}, {region_id} and {label} filled in. Default: that of the client's request.",
      examples: ['10.0.0.7'],
    }),
  lobby_ports: LobbyPorts.optional().describe(
    'The ports that they open. Default: one, default, with the target_port 7777. An empty list: none.',
  ),
})
export type ServerPorts = types.ServerPorts

const secondMs = 1000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** Lifetimes in ms (PROTOCOL.md B1, C). */
export const lifetimeMs = {
  token: 365 * dayMs,
  deviceLink: hourMs,
  /** A lobby stops if its server does not call ready before. */
  starting: 5 * minuteMs,
  lobby: 8 * hourMs,
  /** A player is removed this long after the call that gave it a seat. */
  player: 8 * hourMs,
  /** A reserved seat is freed if its player does not connect before. */
  seat: 2 * minuteMs,
  /** The store deletes a stopped lobby, or a player without a seat, after this time. */
  retention: hourMs,
} as const

/** When a player connects and leaves if the mock plays the game server, in ms (PROTOCOL.md C). */
export const mockServerMs = { connects: 2 * secondMs, leaves: 30 * minuteMs } as const
