import { randomUUID } from 'node:crypto'
import type { Readable, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { McpServer } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { ClientError, type Remote } from '../../client/call.js'
import { writeJson } from '../../core/lib/json.js'
import { BodyTooLong } from '../../core/lib/limited-response.js'
import { UsageError } from '../../core/lib/messages.js'
import { version } from '../../version.js'
import { Session } from './session.js'
import { type Tool, tools } from './tools.js'

/** The longest answer of a tool, in characters. A longer one would fill the context of an agent. */
const longestAnswer = 60_000

const instructions =
  'You work in a fork of a world of mockmaker, a mock of the Rivet matchmaker. It is yours: nobody else sees your changes, and it is deleted at the end. Point the game at the url of get_world, with a token of it. Read the world where the user plays with "of": "mock". To find a cause, begin with list_warnings, then list_requests and explain. The package has docs, and a skill at docs/skills/mockmaker/SKILL.md.'

/** Serves the tools until a stream ends or `signal` aborts, then deletes the fork. Needs no mock before the first call. */
export async function serveTools(
  remote: Remote,
  { input, output, signal }: { readonly input: Readable; readonly output: Writable; readonly signal: AbortSignal },
): Promise<void> {
  const session = new Session(remote, `mcp-${randomUUID().slice(0, 8)}`)
  const handle = serveStdio(
    () => {
      const server = new McpServer({ name: 'mockmaker', version }, { instructions })
      for (const tool of tools()) register(tool, { server, session })
      return server
    },
    { transport: new StdioServerTransport(input, output) },
  )
  // A failed stream has ended too.
  await Promise.race([
    finished(input, { writable: false, signal }),
    finished(output, { readable: false, signal }),
  ]).catch(() => {})
  try {
    await handle.close()
  } finally {
    await session.end()
  }
}

function register(
  { name, description, input, isReadOnly, run }: Tool,
  { server, session }: { readonly server: McpServer; readonly session: Session },
): void {
  const annotations = { readOnlyHint: isReadOnly, openWorldHint: false }
  // The library answers with the message of an error.
  server.registerTool(name, { description, inputSchema: input, annotations }, async args => {
    const value = await run(session, args).catch(error => {
      throw error instanceof ClientError && error.cause instanceof BodyTooLong
        ? tooLong('where, operation or status')
        : error
    })
    const text = typeof value === 'string' ? value : writeJson(value)
    if (text.length > longestAnswer) throw tooLong('limit or where')
    return { content: [{ type: 'text', text }] }
  })
}

/** `helpful`: the arguments that help. A limit does not shorten what the mock sends. */
function tooLong(helpful: string): UsageError {
  return new UsageError(
    `the answer is too long: ask for less, with ${helpful}. For a whole world, the user can run mockmaker export`,
  )
}
