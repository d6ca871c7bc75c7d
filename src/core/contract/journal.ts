import * as z from 'zod'
import type * as types from '../generated/requests.js'
import { isJsonObject } from '../lib/json.js'
import { lazy } from '../lib/lazy.js'
import { didYouMean, matchesGlob, suggestedValues } from '../lib/messages.js'
import { lazyObject, typeTexts } from '../lib/schemas.js'
import { Instant } from '../lib/time-schemas.js'
import { Json, record } from './formats.js'
import { type OperationId, operationIds } from './operations.js'

/** Lists the operations whose ids match a pattern: `devices.*`. */
export function matchingOperations(pattern: string): OperationId[] {
  return operationIds.filter(id => matchesGlob(id, pattern))
}

/** A text, or a pattern with `*`. Tokens are shorter, and longer patterns would make a thousand faults slow. */
const Pattern = z.string().max(2_000)

/** The id of an operation, or a pattern with `*` that matches one. */
export const OperationPattern: () => z.ZodType<OperationPattern, OperationPattern> = lazy(() =>
  (Pattern as z.ZodType<OperationPattern, OperationPattern>) // the refinement accepts no other text
    .meta(suggestedValues(operationIds))
    .refine(pattern => matchingOperations(pattern).length > 0, {
      error: ({ input }) =>
        // The input of a refinement is of its type.
        `expected the id of an operation, or a pattern that matches one, such as devices.*.${didYouMean(input as string, operationIds)}`,
    })
    .register(typeTexts, { type: 'OperationPattern' }),
)
export type OperationPattern = types.OperationPattern

type JsonObject = Record<string, unknown>

const PartialBody = lazy(() =>
  (Json.refine(isJsonObject, 'expected an object') as z.ZodType<JsonObject, JsonObject>) // it takes no other
    .register(typeTexts, { type: 'Record<string, unknown>' })
    .meta({ type: 'object' }),
)

/** A condition on requests. All given keys must match. */
export const RequestMatch = lazy(() => {
  const Texts = record(Pattern)
  return z.strictObject({
    query: Texts.optional().meta({
      description: 'Query parameters by name: a value, or a pattern with *.',
      examples: [{ include_state: 'true' }],
    }),
    headers: Texts.optional().meta({
      description: 'Headers by name, in any case: a value, or a pattern with *.',
      examples: [{ authorization: 'Bearer pub_*' }],
    }),
    body: PartialBody()
      .optional()
      .meta({
        description: 'A part of the JSON body. The body may have more keys, but no more list elements.',
        examples: [{ game_modes: ['duel'] }],
      }),
    game: z
      .string()
      .optional()
      .meta({ description: 'The game in the path, or of the token: its id or its name_id.', examples: ['tanks'] }),
    namespace: z
      .string()
      .optional()
      .meta({
        description:
          'The namespace in the path, or of the token: its id, its name_id, or <game name_id>/<namespace name_id>.',
        examples: ['tanks/prod'],
      }),
  })
})
export type RequestMatch = types.RequestMatch

/** By name: the value, or a list if there are several. */
const Parameters = lazy(() => record(z.union([z.string(), z.array(z.string())])))

/** A lobby that a find could have chosen, or could not. */
export const ExplainedCandidate = lazyObject(() => ({
  lobby_id: z.string().describe('The id of the lobby.'),
  game_mode_id: z.string().describe('Its game mode.'),
  region_id: z.string().describe('Its region.'),
  free_seats: z.int().describe('The seats that were free for find.'),
  kilometers: z
    .number()
    .optional()
    .describe('The distance from the client. Absent if the place of the client is unknown.'),
  because: z.string().optional().describe('Why find did not choose it. Absent for the chosen lobby.'),
  lost_by: z
    .enum([
      'stopped',
      'closed',
      'private',
      'full',
      'tags',
      'max_players',
      'server',
      'no_server',
      'seats',
      'distance',
      'order',
    ])
    .optional()
    .describe('The key of that reason: the rule by which it lost.'),
}))
export type ExplainedCandidate = types.ExplainedCandidate

/** Why a request got its answer. */
export const AnswerReasons = lazyObject(() => ({
  verdict: z.string().describe('A few words.'),
  because: z.array(z.string()).describe('A sentence for each reason.'),
  candidates: z
    .array(ExplainedCandidate())
    .optional()
    .describe('The lobbies that a find could choose, and those that it could not. The chosen one is first.'),
  outages: z.array(z.string()).optional().describe('The regions of a find that were down. Absent if all were up.'),
}))
export type AnswerReasons = types.AnswerReasons

/** A request and its answer, as the journal shows them. Tokens are cut to their labels. */
export const JournalEntry = lazyObject(() => ({
  id: z.int().min(1).describe('The number of the entry. Requests and change sets of a world are counted together.'),
  time: Instant.describe("The time of the answer, on the world's clock."),
  world: z.string().describe('The id of the world.'),
  operation: z.string().optional().describe('Absent if no operation has the path.'),
  caller: z
    .strictObject({
      kind: z.string().describe('The kind of the token.'),
      namespace_id: z.string().optional().describe('The namespace of the token.'),
      game_id: z.string().optional().describe('The game of the token.'),
    })
    .optional()
    .describe('The sender of the request. Absent if the mock refused the request before it knew the sender.'),
  method: z.string().meta({ description: 'The method of the request.', examples: ['GET'] }),
  path: z.string().meta({ description: 'The path of the request.', examples: ['/matchmaker/lobbies/list'] }),
  query: Parameters().describe('The query parameters, by name.'),
  headers: Parameters().describe('The headers of the request, by name.'),
  body: Json.optional().describe('JSON, or a text. Absent if there was none, or if it was too long to keep.'),
  status: z.int().min(0).max(999).describe('0 if the connection was closed without an answer.'),
  answer: Json.optional().describe('The body of the answer, in the form of `body`.'),
  ms: z.number().min(0).describe('The time from the request to its answer, in real ms.'),
  blocked_ms: z.number().min(0).describe('The part of that time in which the request was blocked on a watch index.'),
  since: Instant.optional().describe(
    "When the request began to wait for its answer, on the world's clock. Absent if it was answered at once.",
  ),
  fault: z.string().optional().describe('The id of the fault that was applied.'),
  edited: z
    .literal(true)
    .optional()
    .describe('The release of the held request replaced the answer of the operation. Absent otherwise.'),
  revisions: z
    .array(z.int())
    .optional()
    .describe('The revisions of the change sets that the request caused. Absent if it changed nothing.'),
  reasons: AnswerReasons()
    .optional()
    .describe('Why it got this answer. Absent while the history has the world before it.'),
}))
export type JournalEntry = types.JournalEntry

/** A journal entry whose answer may be left out. No snapshot has such an entry. */
export interface ShortenedEntry extends JournalEntry {
  /** The length of an answer that was left out, in bytes. */
  readonly answer_bytes?: number
}

/**
 * The thing that a request waits for. `watch`: a change in what it watches. `fault`: the end of a hold or a delay. `lobby`: a
 * lobby that is starting. `resolver`: a function of `on` or `override`. `nothing`: it was released without an answer.
 */
export type WaitReason = 'watch' | 'fault' | 'lobby' | 'resolver' | 'nothing'

/** A request that waits for its answer. Tokens are cut to their labels. */
export interface PendingRequest {
  /** Identifies a request that a fault holds or delays. Its answer has the same `rvt-ray-id`. Absent for other requests. */
  readonly id?: string
  readonly operation?: OperationId
  readonly method: string
  readonly path: string
  /** By name: the value, or a list if there are several. */
  readonly query: Readonly<Record<string, string | string[]>>
  /** When it began to wait, on the world's clock, in ISO 8601. */
  readonly since: string
  readonly waits_for: WaitReason
  /** The id of the fault that was applied. */
  readonly fault?: string
  /** JSON, or a text. Absent if there was none. */
  readonly body?: unknown
}

/** Selects journal entries. All given keys must match. */
export const JournalFilter = lazyObject(() => ({
  /** An operation's id, or a pattern: `devices.*`. */
  operation: OperationPattern().optional(),
  /** 0 if the connection was closed without an answer. */
  status: z.int().optional(),
  /** The id of an entry: only later ones. */
  since: z.int().optional(),
}))
export type JournalFilter = types.JournalFilter

/** Conditions on a request and on the status of its answer. All given keys must match. */
export const ExchangeMatch = lazyObject(() => ({
  ...RequestMatch().shape,
  method: z.string().optional().describe('In upper case.'),
  path: Pattern.optional().describe('The path, or a pattern with *.'),
  status: z.int().optional().describe('0 if the connection was closed without an answer.'),
}))
export type ExchangeMatch = types.ExchangeMatch

/** Matches a request and the status of its answer. */
export const RequestPattern = lazyObject(() => ({
  operation: OperationPattern()
    .optional()
    .describe('An operation, or a pattern such as devices.*. Default: any request.'),
  match: ExchangeMatch().optional().describe('More conditions. Default: none.'),
}))
export type RequestPattern = types.RequestPattern

/** The expected entries of the journal: how many, and in which order. */
export const Expectation = lazyObject(() => ({
  ...RequestPattern().shape,
  count: z
    .strictObject({ min: z.int().min(0).optional(), max: z.int().min(0).optional() })
    .refine(({ min = 0, max = min }) => min <= max, { path: ['max'], error: 'expected no less than min' })
    .optional()
    .describe('The number of matching requests. Default: at least one, or any number if only an order is given.'),
  order: z
    .array(RequestPattern())
    .max(1_000)
    .readonly()
    .optional()
    .describe('Requests that came one after the other. Others may have come in between.'),
}))
export type Expectation = types.Expectation
