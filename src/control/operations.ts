import * as z from 'zod'
import { Fault } from '../contract/faults.js'
import { Expectation, JournalFilter } from '../contract/journal.js'
import { isJsonObject } from '../lib/json.js'
import { ClockSettingSchema } from '../store/clock-setting.js'
import { CompletionOptions } from './device-links.js'
import { Question } from './explain.js'
import { EndSimulationOptions, SimulationOptions } from './simulation.js'
import { NewWorldOptions, ResetOptions, ScenarioOrName } from './world-control.js'

/** One call of the control API, as data. */
export interface ControlSpec {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** What follows `/__mock`, with `{name}` for each parameter. */
  readonly path: string
  readonly summary: string
  /** Absent where the query means nothing; `fields` where it filters by the fields of the table. */
  readonly query?: z.ZodObject | 'fields'
  /** Absent where the body means nothing. */
  readonly body?: z.ZodType
  /** In bytes. Default: 1 MiB, as for the service's own operations. */
  readonly longestBody?: number
}

/** In bytes: a world of 400,000 lobbies. A longer scenario or snapshot can be started with as a file. */
const longestScenario = 64 * 1024 * 1024

/** An object whose keys are checked where it is used. As it came: a schema of its keys would lose one called `__proto__`. */
export const AnyObject = z.custom<Readonly<Record<string, unknown>>>(isJsonObject, 'expected an object')

/** A whole number in a query. */
const wholeNumber = z
  .string()
  .regex(/^\d{1,16}$/, 'expected a whole number')
  .transform(Number)

const LoadSchema = z
  .strictObject({ name: z.string().optional(), scenario: ScenarioOrName.optional() })
  .refine(
    ({ name, scenario }) => (name === undefined) !== (scenario === undefined),
    'expected one of name and scenario, and not both',
  )

/** The table of the control API: all that steers a mock from outside, under `/__mock` of each world. */
export const controlOperations = {
  calls: { method: 'GET', path: '/', summary: 'These calls, and what goes into them.' },
  health: { method: 'GET', path: '/health', summary: 'Whether the server answers, since when, and how much is in it.' },
  'worlds.list': { method: 'GET', path: '/worlds', summary: 'The worlds of the server.' },
  'worlds.get': { method: 'GET', path: '/worlds/{world_id}', summary: 'One of them.' },
  'worlds.put': {
    method: 'PUT',
    path: '/worlds/{world_id}',
    summary: "Creates or replaces a world: from a scenario, as a copy of another world, or from the server's scenario.",
    body: NewWorldOptions,
    longestBody: longestScenario,
  },
  'worlds.delete': { method: 'DELETE', path: '/worlds/{world_id}', summary: 'Deletes a world.' },
  'world.get': { method: 'GET', path: '/world', summary: 'What the world is, how far it is, and what is in it.' },
  reset: {
    method: 'POST',
    path: '/reset',
    summary: 'Back to the scenario, in one change set.',
    body: ResetOptions,
  },
  'snapshot.get': {
    method: 'GET',
    path: '/snapshot',
    summary:
      'The whole world in the scenario format, as JSON or, by the header accept, as YAML. A long one is JSON only.',
    query: z.strictObject({
      with: z
        .string()
        .regex(/^(faults|journal)(,(faults|journal))*$/, 'expected faults, journal, or both with a comma between')
        .transform(parts => parts.split(',') as ('faults' | 'journal')[])
        .optional(),
    }),
  },
  'snapshot.put': {
    method: 'PUT',
    path: '/snapshot',
    summary: 'Puts a snapshot back, in one change set.',
    body: AnyObject,
    longestBody: longestScenario,
  },
  'scenarios.list': { method: 'GET', path: '/scenarios', summary: 'Lists the scenarios that have a name.' },
  'scenario.put': {
    method: 'PUT',
    path: '/scenario',
    summary: 'Loads another scenario, in one change set.',
    body: LoadSchema,
    longestBody: longestScenario,
  },
  'clock.get': { method: 'GET', path: '/clock', summary: "The world's time, and how it goes." },
  'clock.set': {
    method: 'PUT',
    path: '/clock',
    summary: 'Freezes, resumes, speeds up or moves the clock.',
    body: ClockSettingSchema,
  },
  'clock.advance': {
    method: 'POST',
    path: '/clock/advance',
    summary: 'Moves the time forward. What falls due in between happens in its order, before the call answers.',
    body: z.strictObject({ by: z.union([z.number(), z.string()]) }),
  },
  'faults.list': { method: 'GET', path: '/faults', summary: 'The faults of the world, and what has become of them.' },
  'faults.add': {
    method: 'POST',
    path: '/faults',
    summary: 'Adds a fault, and answers it with its id.',
    body: Fault,
  },
  'faults.clear': { method: 'DELETE', path: '/faults', summary: 'Deletes all faults.' },
  'faults.remove': {
    method: 'DELETE',
    path: '/faults/{fault_id}',
    summary: 'Deletes a fault, and releases the requests that it holds.',
  },
  'faults.release': {
    method: 'POST',
    path: '/faults/{fault_id}/release',
    summary: 'Releases the requests that a fault holds or delays. The fault stays, and holds the next ones.',
  },
  'journal.find': {
    method: 'GET',
    path: '/journal',
    summary:
      'The newest exchanges of the world, the oldest first, with their tokens cut to their labels. `dropped` says how many older ones are no longer kept.',
    query: JournalFilter.extend({ status: wholeNumber.optional(), since: wholeNumber.optional() }),
  },
  'journal.verify': {
    method: 'POST',
    path: '/journal/verify',
    summary: 'Says whether the exchanges are as expected. If not, it says why, and which came nearest.',
    body: Expectation,
  },
  'journal.clear': { method: 'DELETE', path: '/journal', summary: 'Clears the journal.' },
  changes: {
    method: 'GET',
    path: '/changes',
    summary: 'Change sets and exchanges as they happen, as Server-Sent Events, from now on or from a revision on.',
    query: z.strictObject({ since: wholeNumber.optional() }),
  },
  explain: {
    method: 'GET',
    path: '/explain',
    summary: 'Why a lobby is not listed, which operation answers a request and for whom, or why a name does not pass.',
    query: Question,
  },
  'lobbies.environment': {
    method: 'GET',
    path: '/lobbies/{lobby_id}/env',
    summary:
      'What the server of a lobby finds in its environment, as lines for a shell or, by the header accept, as JSON.',
  },
  'simulation.get': {
    method: 'GET',
    path: '/simulation',
    summary: 'Where players come and go by themselves, and how many are there.',
  },
  'simulation.put': {
    method: 'PUT',
    path: '/simulation',
    summary: 'Starts to simulate players of a namespace, in one change set. Absent fields get their defaults.',
    body: SimulationOptions,
  },
  'simulation.delete': {
    method: 'DELETE',
    path: '/simulation',
    summary: 'Stops the simulation of a namespace. Its players leave when their sessions end.',
    query: EndSimulationOptions,
  },
  'device-links.complete': {
    method: 'POST',
    path: '/device-links/{token}/complete',
    summary: 'Completes a device link for a game, without a cloud token.',
    body: CompletionOptions,
  },
  'device-links.expire': {
    method: 'POST',
    path: '/device-links/{token}/expire',
    summary: 'Lets a device link expire now.',
  },
  'records.list': {
    method: 'GET',
    path: '/{table}',
    summary: 'The records of a table. The query filters by any field: `game_mode_id=duel`, `state.map=Harbour`.',
    query: 'fields',
  },
  'records.get': { method: 'GET', path: '/{table}/{id}', summary: 'One of them.' },
  'records.create': {
    method: 'POST',
    path: '/{table}',
    summary: "Makes a record. What is absent is filled in with the scenario format's defaults.",
    body: AnyObject,
  },
  'records.update': {
    method: 'PATCH',
    path: '/{table}/{id}',
    summary: 'Changes the given fields of a record; null takes an optional one away.',
    body: AnyObject,
  },
  'records.delete': { method: 'DELETE', path: '/{table}/{id}', summary: 'Deletes a record.' },
} as const satisfies { readonly [id: string]: ControlSpec }

type ControlOperations = typeof controlOperations
export type ControlId = keyof ControlOperations

type Part<Spec, Name extends string> = Spec extends { [name in Name]: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : undefined

/** The names between braces in a path. */
type ParamsOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamsOf<Rest>
  : never

/** A call of the control API, parsed. */
export interface ControlInput<Id extends ControlId> {
  /** The parameters of the path, decoded. */
  readonly params: { readonly [Name in ParamsOf<ControlOperations[Id]['path']>]: string }
  readonly query: Part<ControlOperations[Id], 'query'>
  readonly body: Part<ControlOperations[Id], 'body'>
}
