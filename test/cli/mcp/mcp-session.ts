import { PassThrough } from 'node:stream'
import { Client } from '@modelcontextprotocol/client'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { onTestFinished } from 'vitest'
import { serveTools } from '../../../src/cli/mcp/serve.js'
import type { Remote } from '../../../src/client/call.js'

/** A session of an agent with a mock. */
interface McpSession extends McpTools {
  readonly client: Client
  /** Closes the input of the tools, as an agent does at its end. Resolves when they have ended. */
  end(): Promise<void>
  /** Ends the tools as a signal does. */
  interrupt(): Promise<void>
  /** Breaks the output of the tools, as an agent does that crashes. */
  crash(): Promise<void>
}

/** Calls tools. */
interface McpTools {
  /** Calls a tool that succeeds, and returns its JSON or its text. */
  // biome-ignore lint/suspicious/noExplicitAny: the test says what it expects
  use(tool: string, args?: Record<string, unknown>): Promise<any>
  /** Calls a tool that fails, and returns its message. */
  fail(tool: string, args?: Record<string, unknown>): Promise<string>
}

/** Calls the tools of a connected client. */
export function toolsOf(client: Client): McpTools {
  const call = async (name: string, args: Record<string, unknown>) => {
    const { content, isError } = await client.callTool({ name, arguments: args })
    const [part] = content as readonly { readonly type: string; readonly text: string }[]
    return { text: part?.text ?? '', isError: isError === true }
  }
  return {
    async use(tool, args = {}) {
      const { text, isError } = await call(tool, args)
      if (isError) throw new Error(`${tool}: ${text}`)
      return /^[[{]/.test(text) ? JSON.parse(text) : text
    },
    async fail(tool, args = {}) {
      const { text, isError } = await call(tool, args)
      if (!isError) throw new Error(`${tool} succeeds: ${text}`)
      return text
    },
  }
}

/** Serves the tools in this process, to the client of the protocol's own package. */
export async function openSession(url: string, options: Partial<Omit<Remote, 'url'>> = {}): Promise<McpSession> {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const controller = new AbortController()
  const served = serveTools({ url, fetch, ...options }, { input, output, signal: controller.signal })
  const client = new Client({ name: 'test', version: '1' })
  // Its lines are the same on both sides.
  await client.connect(new StdioServerTransport(output, input))
  const session: McpSession = {
    client,
    ...toolsOf(client),
    async end() {
      input.end()
      await served
    },
    async interrupt() {
      controller.abort()
      await served
    },
    async crash() {
      output.destroy(new Error('EPIPE'))
      await served
    },
  }
  onTestFinished(() => session.interrupt())
  return session
}
