import * as z from 'zod'
import { Instant } from './instant.js'
import { Json } from './json.js'
import { record } from './record.js'

/** One text, or all where there are several. */
const Texts = record(z.union([z.string(), z.array(z.string())]))

/** An exchange as the journal shows it: its tokens are cut to their labels. */
export const JournalEntry = z.strictObject({
  id: z.int().min(1).describe('Which exchange of its world it was; one number for each exchange and each change set.'),
  time: Instant.describe("When it was answered, on the world's clock."),
  world: z.string().describe('The id of the world.'),
  operation: z.string().optional().describe('Absent where the path is none of an operation.'),
  caller: z
    .strictObject({
      kind: z.string().describe('What the token is for.'),
      namespace_id: z.string().optional().describe('The namespace of the token.'),
      game_id: z.string().optional().describe('The game of the token.'),
    })
    .optional()
    .describe('Who asked. Absent where the request was refused before that was known.'),
  method: z.string().meta({ description: 'The method of the request.', examples: ['GET'] }),
  path: z.string().meta({ description: 'The path of the request.', examples: ['/matchmaker/lobbies/list'] }),
  query: Texts.describe('The query parameters, by name.'),
  headers: Texts.describe('The headers of the request, by name.'),
  body: Json.optional().describe('JSON, or a text. Absent where there was none, and where it was too long to be kept.'),
  status: z.int().min(0).max(999).describe('0 where the connection was broken off.'),
  answer: Json.optional().describe('As `body`.'),
  ms: z.number().min(0).describe('From the request to its answer, in real ms.'),
  blocked_ms: z.number().min(0).describe('How much of that it was blocked on a watch index.'),
  fault: z.string().optional().describe('The id of the fault that struck.'),
})
export type JournalEntry = z.output<typeof JournalEntry>
