import type * as z from 'zod'
import { describeIssues, listKnownKeys } from '../lib/issues.js'
import { didYouMean, quoted } from '../lib/messages.js'
import { ErrorBody, errorStatus } from './errors.js'
import { codesOf, type OperationSpec } from './operation.js'
import { type OperationId, operations } from './operations.js'

/** A part of an answer that the contract does not allow. */
export interface AnswerProblem {
  /** The keys that lead to the part: `["status"]`, `["body", "lobby", "lobby_id"]`. */
  readonly path: readonly (string | number)[]
  /** A sentence with the path: `body.lobby.lobby_id is missing: expected string`. */
  readonly message: string
}

/** An answer of an operation. */
export interface Answer {
  readonly status: number
  /** JSON. Absent if the body is empty. */
  readonly body?: unknown
}

const success = 200

/** Lists the parts of an answer that the contract of its operation does not allow. `undefined`: no operation has the path. */
export function answerProblems(id: OperationId | undefined, { status, body }: Answer): AnswerProblem[] {
  const spec: OperationSpec | undefined = id && operations[id]
  if (status !== success || !spec) return failureProblems(spec, { status, body })
  if (spec.output) return bodyProblems(spec.output, body)
  return body === undefined ? [] : [{ path: ['body'], message: `body is ${quoted(body)}: expected none` }]
}

function failureProblems(spec: OperationSpec | undefined, { status, body }: Answer): AnswerProblem[] {
  const codes = spec ? codesOf(spec) : ['API_NOT_FOUND', 'API_METHOD_NOT_ALLOWED']
  const statusOf = (code: string) => errorStatus[code as keyof typeof errorStatus] // of the table
  const statuses = [...new Set([...(spec ? [success] : []), ...codes.map(statusOf)])].sort()
  const wrongStatus = (expected: string) => [{ path: ['status'], message: `status is ${status}: expected ${expected}` }]
  const wrongBody = bodyProblems(ErrorBody(), body)
  const code = wrongBody.length === 0 ? (body as ErrorBody).code : undefined // just checked
  if (code !== undefined && !codes.includes(code))
    return [
      {
        path: ['body', 'code'],
        message: `body.code is ${quoted(code)}: expected a code of the operation.${didYouMean(code, codes)}`,
      },
    ]
  if (!statuses.includes(status as never)) return [...wrongStatus(statuses.join(', ')), ...wrongBody]
  if (code !== undefined && statusOf(code) !== status) return wrongStatus(`${statusOf(code)}, the status of ${code}`)
  return wrongBody
}

function bodyProblems(schema: z.ZodType, body: unknown): AnswerProblem[] {
  const { error } = schema.safeParse(body, { jitless: true, error: listKnownKeys })
  if (!error) return []
  return describeIssues(error, body, ['body']).map(({ path, text }) => ({
    path: path.map(key => (typeof key === 'number' ? key : String(key))),
    message: text(),
  }))
}
