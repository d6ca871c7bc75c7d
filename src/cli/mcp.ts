import { abortOnSignals, Interrupted } from './checks.js'
import type { Console } from './output.js'
import { type ControlAddress, remoteOf } from './running-mock.js'

/** Serves tools to an agent. In a terminal it prints how to configure one. Resolves with the exit code. */
export async function serveMcp(
  address: ControlAddress & { readonly isDefault: boolean },
  { streams, console }: { readonly streams: Pick<NodeJS.Process, 'stdin' | 'stdout'>; readonly console: Console },
): Promise<number> {
  const { stdin, stdout } = streams
  if (stdin.isTTY) {
    console.printDocument(configuration(address))
    return 0
  }
  const { signal, release } = abortOnSignals()
  try {
    // Most commands do not need the library.
    const { serveTools } = await import('./mcp/serve.js')
    await serveTools(remoteOf(address, { bytes: longestAnswer, beginsWithinMs: timeoutMs }), {
      input: stdin,
      output: stdout,
      signal,
    })
    return signal.reason instanceof Interrupted ? signal.reason.exitCode : 0
  } finally {
    release()
  }
}

const longestAnswer = 64 * 1024 * 1024 // bytes

/** The mock must begin its response within this time, in ms. Moving the clock far takes long. */
const timeoutMs = 60_000

function configuration({ url, isDefault }: { readonly url: string; readonly isDefault: boolean }): string {
  const args = ['mockmaker', 'mcp', ...(isDefault ? [] : ['--url', url])]
  const json = (value: object) => JSON.stringify(value, null, 2)
  const server = { command: 'npx', args }
  return `An agent starts this command, and talks to it on standard input and output. Configure yours:

Claude Code
claude mcp add mockmaker -- npx ${args.join(' ')}

Cursor (.cursor/mcp.json), and most others
${json({ mcpServers: { mockmaker: server } })}

VS Code (.vscode/mcp.json)
${json({ servers: { mockmaker: { type: 'stdio', ...server } } })}

Tools work in a copy of the world at ${url}, which ends with the agent.`
}
