import { parseInput } from '../lib/issues.js'
import { UsageError } from '../lib/usage-error.js'
import { explainLobby } from './explain-lobby.js'
import { explainName } from './explain-name.js'
import { explainRequest } from './explain-request.js'
import type { ExplainedOf, Explanation, Question } from './explanation.js'
import { QuestionSchema } from './options.js'

/** Answers a question. Throws `UsageError` where it asks for nothing, or for more than one thing. */
export function explain(of: ExplainedOf, asked: Question): Explanation {
  const question = parseInput(QuestionSchema, asked, 'question')
  const { lobby_id, path, name_id, display_name } = question
  const isName = name_id !== undefined || display_name !== undefined
  const things = [lobby_id !== undefined, path !== undefined, isName].filter(one => one).length
  if (things !== 1) throw new UsageError('ask for one thing: lobby_id, path (with method), or name_id and display_name')
  if (lobby_id !== undefined) return explainLobby(of, lobby_id)
  if (path !== undefined) return explainRequest(of, { ...question, path })
  return explainName(of, question)
}
