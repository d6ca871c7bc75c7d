import * as z from 'zod'
import type * as types from '../generated/options.js'
import { isJsonObject } from '../lib/json.js'
import { lazy } from '../lib/lazy.js'
import { lazyObject, typeTexts } from '../lib/schemas.js'
import { parseDuration } from '../lib/time.js'
import { parseUrl } from '../lib/url.js'
import type { HistoryLimits } from '../pipeline/history.js'
import { hostForm, isAllowedHost, isOrigin } from '../pipeline/origin.js'
import type { ScenarioInput, ScenarioNameOrPath } from '../scenario/schema.js'

const expectedScenario =
  'expected an object, as mockmaker/scenarios has them; names and files are for setupMockmaker of mockmaker/node'

/** A schema of an own check, with its type for `npm run generate`. */
const custom = {
  number: (check: (value: unknown) => boolean, expected: string) =>
    z.custom<number>(check, expected).register(typeTexts, { type: 'number' }),
  string: (check: (value: unknown) => boolean, expected: string) =>
    z.custom<string>(check, expected).register(typeTexts, { type: 'string' }),
}

const milliseconds = custom.number(value => typeof value === 'number' && value >= 0, 'expected a number of ms from 0')
const origin = z.string().refine(isOrigin, 'expected an origin such as https://game.example, or null')

function count(least: number) {
  return custom.number(value => isWholeNumber(value, least), `expected a whole number from ${least}`)
}

function isWholeNumber(value: unknown, least: number): value is number {
  return Number.isInteger(value) && Number(value) >= least
}

/** Tells whether a link can be made by appending a path. */
function isLinkBase(value: unknown): boolean {
  return typeof value === 'string' && /^https?:\/\/[^?#]+$/i.test(value) && parseUrl(value) !== undefined
}

/** Describes the length of a history in messages. */
export const historyFormat = 'a duration such as 1h, or a whole number of change sets from 1'

/** Reads the length of a history. Returns `undefined` if the value is none. */
export function historyLengthOf(value: unknown): HistoryLimits['changes'] | undefined {
  const ms = typeof value === 'string' ? parseDuration(value) : undefined
  if (ms !== undefined) return { ms }
  return isWholeNumber(value, 1) ? { count: value } : undefined
}

export const MockmakerOptions = z.strictObject({
  /** The scenario that the world `default` and new worlds start with. Default: the shipped `default`. */
  scenario: z
    .custom<ScenarioInput>(isJsonObject, expectedScenario)
    .register(typeTexts, { type: 'ScenarioInput' })
    .optional(),
  /** Replaces the seed of the scenario. */
  seed: custom.number(Number.isSafeInteger, 'expected an integer').optional(),
  /**
   * The handlers match this: an origin (`https://matchmaker.example`), `*` for any, or nothing for the page's own, and a path
   * if wanted (`/api`). Default: `*`.
   */
  baseUrl: z.string().optional(), // `createHandlers` checks the rest
  /**
   * Names the world of a request in-process, such as by a cookie. It must return at once. `undefined` leaves the choice to the
   * path and the header of the request. Default: always `undefined`.
   */
  world: z
    .custom<(request: Request) => string | undefined>(
      value => typeof value === 'function',
      'expected a function that returns the id of a world, or undefined',
    )
    .register(typeTexts, { type: '((request: Request) => string | undefined)' })
    .optional(),
  /** The longest time that a watch waits for a change, in ms of the world's clock. Default: 40 000. */
  watchTimeoutMs: milliseconds.default(40_000),
  /** The beginning of the device links in answers, without a slash at its end. Default: `https://hub.{cdn_domain}`. */
  publicUrl: custom.string(isLinkBase, 'expected a URL such as https://hub.example').optional(),
  /**
   * More origins whose pages may use the mock, besides loopback and the domains of the namespaces. `null` means sandboxed
   * frames. Default: none.
   */
  corsOrigins: z.array(origin).readonly().default([]),
  /** The most worlds, including the default one. Default: 10 000. */
  maxWorlds: count(1).default(10_000),
  /**
   * The time after which an unused world is deleted, in real ms. The default world and those of your code stay. Default: 30
   * minutes.
   */
  worldTtlMs: milliseconds.default(30 * 60_000),
  /** The most requests in the journal of each world. Default: 1 000. */
  journalSize: count(0).default(1_000),
  /**
   * How far the history of each world goes back: a duration of the world's clock, or a number of change sets. It takes at most
   * 64 MiB: beyond them it drops the oldest change sets. Default: `1h`.
   */
  history: z
    .custom<number | string>(value => historyLengthOf(value) !== undefined, `expected ${historyFormat}`)
    .register(typeTexts, { type: 'number | string' })
    .default('1h'),
  /**
   * Makes `reset`, `close` and `isolated` fail, after their work, if a fault that code has added never applied to a request.
   * Default: false.
   */
  strict: z.boolean().default(false),
  /** Simulates players in each namespace that has a game mode, unless the scenario sets its players. Default: false. */
  live: z.boolean().optional(),
})

export const ListenOptions = lazyObject(() => ({
  /** 0 picks a free port. Default: 4100. */
  port: custom
    .number(value => isWholeNumber(value, 0) && value <= 65_535, 'expected a port from 0 to 65535')
    .optional(),
  /** The address to listen on. Default: 127.0.0.1 and ::1. */
  host: z.string().optional(),
  /** Names to allow in the Host header besides those of this machine and IP addresses. Default: none. */
  allowedHosts: z
    .array(z.string().refine(isAllowedHost, `expected ${hostForm}`))
    .readonly()
    .optional(),
  /** Turns the control API on or off. Default: on. */
  control: z.boolean().optional(),
  /** Addresses and networks of other machines that may use the control API; `*` means all. Default: none. */
  controlHosts: z.array(z.string()).readonly().optional(),
  /**
   * The token that every call of the control API needs, from this machine too. With it, any address may call. Pages of the mock
   * show no tokens then. It has 16 to 512 letters, digits or `. _ ~ + / = -`. Default: none.
   */
  controlToken: z.string().optional(),
  /**
   * Addresses and networks of proxies in front of the mock. The last address in `x-forwarded-for` or `forwarded` that is none of them
   * is that of the client. Default: none.
   */
  trustProxy: z.array(z.string()).readonly().optional(),
  /** The folder that keeps the worlds. If it has worlds, the mock goes on with them. Default: they are only in memory. */
  data: custom.string(value => typeof value === 'string' && value.trim() !== '', 'expected a folder').optional(),
  /** Starts the game servers that the mock's own scenario has commands for. Default: false. */
  servers: z.boolean().optional(),
}))

export const AppOptions = lazy(() => ListenOptions().omit({ port: true, host: true }))

// The path of the plugin takes the place of `baseUrl`. The others are for tests in-process.
export const PluginOptions = lazy(() =>
  MockmakerOptions.omit({ baseUrl: true, world: true, strict: true }).extend({
    path: z
      .custom<string>(
        value => typeof value === 'string' && /^(\/[\w~-][\w.~-]*)+$/.test(value),
        'expected a path such as /mm, with a slash at its beginning and none at its end',
      )
      .default('/mm'),
    scenario: z
      .custom<ScenarioInput | string>(
        value => isJsonObject(value) || (typeof value === 'string' && value !== ''),
        'expected an object, the name of a shipped scenario, or the path of a file',
      )
      .optional(),
    ...AppOptions().omit({ data: true }).shape,
  }),
)

/** Options of a Mockmaker. All are optional. */
export type MockmakerOptions = types.MockmakerOptions

/** Options of a server. All are optional. */
export type ListenOptions = types.ListenOptions

/** Options of `createApp`. All are optional. */
export type AppOptions = Pick<
  ListenOptions,
  'allowedHosts' | 'control' | 'controlHosts' | 'controlToken' | 'data' | 'trustProxy' | 'servers'
>

/** Options of the Vite plugin. All are optional. */
export interface MockmakerPluginOptions
  extends Omit<MockmakerOptions, 'scenario' | 'baseUrl' | 'world' | 'strict'>,
    Pick<AppOptions, 'control' | 'controlHosts' | 'controlToken' | 'trustProxy' | 'servers'> {
  /** The path of the mock on Vite's server. Default: `/mm`. */
  readonly path?: string | undefined
  /** An object, the name of a shipped scenario, or the path of a file from Vite's root. Default: the shipped `default`. */
  readonly scenario?: ScenarioInput | ScenarioNameOrPath | undefined
  /** Names to allow in the Host header besides those of this machine and IP addresses. Default: those in Vite's own list. */
  readonly allowedHosts?: readonly string[] | undefined
}
