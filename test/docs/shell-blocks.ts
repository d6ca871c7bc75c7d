import manifest from '../../package.json' with { type: 'json' }
import type { Block, Page } from '../support/docs.js'

/** Commands for a new checkout or project. `.ci/run` and `.ci/package` run them. */
export const commandsOfCi = [
  'npm ci && npm start',
  'npm ci && npm test',
  'npm pack ../mockmaker',
  `npm install --save-dev ./mockmaker-${manifest.version}.tgz msw`,
]

/** The tests of the examples install the packages of a guide, from the packed package. */
const installLine = /^npm install --save-dev mockmaker /

const subcommands = [
  'exec',
  'env',
  'story',
  'players',
  'lab',
  'check-server',
  'mcp',
  'export',
  'import',
  'diff',
  'health',
  'validate',
  'init',
  'routes',
  'openapi',
  'help',
]
const serveLine = new RegExp(`^npx mockmaker(?! (?:${subcommands.join('|')})\\b)(.*)$`)

/** Returns the arguments of a block that serves, as in `npx mockmaker friday-night`, or else `undefined`. */
function servedBy({ text }: Block): string[] | undefined {
  const [, rest] = serveLine.exec(text.trim()) ?? []
  return rest?.split(' ').filter(word => word !== '')
}

/** Shell blocks of a page that share one server and one shell. */
interface Session {
  readonly page: Page
  /** The arguments of the server. */
  readonly args: readonly string[]
  readonly steps: readonly Step[]
}

/** A block of commands, and its output on the page. */
interface Step {
  readonly commands: string
  readonly shown: string | undefined
}

/** Returns the sessions of a page. A block that serves starts a new one. */
export function sessionsOf(page: Page): Session[] {
  const sessions: { args: readonly string[]; steps: Step[] }[] = [{ args: [], steps: [] }]
  for (const [at, block] of page.blocks.entries()) {
    if (block.language !== 'sh') continue
    const args = servedBy(block)
    const lines = block.text.split('\n').filter(line => !commandsOfCi.includes(line) && !installLine.test(line))
    const commands = lines.join('\n').trim()
    if (args) sessions.push({ args, steps: [] })
    else if (commands !== '') sessions.at(-1)?.steps.push({ commands, shown: outputAfter(page, at) })
  }
  return sessions
    .filter(({ args, steps }) => steps.length > 0 || args.length > 0)
    .map(session => ({ page, ...session }))
}

/** Returns the `text` block after a shell block. Its PowerShell sibling may be between them. */
function outputAfter({ blocks }: Page, at: number): string | undefined {
  const next = blocks[at + 1]?.language === 'powershell' ? blocks[at + 2] : blocks[at + 1]
  return next?.language === 'text' ? next.text : undefined
}

/** Tells whether an output equals that of a page. `…` matches any text, and line breaks are ignored. */
export function matchesShown(output: string, shown: string): boolean {
  const flat = (text: string) => text.replace(/\s*\n\s*/g, '')
  const parts = flat(shown)
    .split('…')
    .map(part => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 's').test(flat(output))
}

/** Tells whether a block works only in bash: it has curl, variables, or a redirection that changes the encoding. */
export function isBashOnly({ text }: Block): boolean {
  return /\b(?:curl|eval)\b|\$\(|<<<|>|\\\n|^\w+=/m.test(text)
}

/** Returns the requests of a block in bash or PowerShell, and its calls of the command. */
export function actionsOf({ language, text }: Block): { readonly requests: string[]; readonly mockmaker: string[] } {
  const isPowerShell = language === 'powershell'
  const joined = text.replace(isPowerShell ? /`\n\s*/g : /\\\n\s*/g, ' ')
  const lines = joined.replaceAll(/\$mock\b/g, 'http://127.0.0.1:4100').split('\n')
  const toRequest = isPowerShell ? powershellRequest : curlRequest
  return {
    requests: lines.flatMap(line => {
      if (/\bcurl\b|Invoke-RestMethod/.test(line)) return toRequest(line)
      // `env` prints lines for bash. In PowerShell, the page reads the variables and sets them itself.
      const [, lobby, url] = /npx mockmaker env (\$?\w+) --url (\S+?)\)/.exec(line) ?? []
      return lobby === undefined ? [] : request('GET', `${url}/__mock/lobbies/${lobby}/env`, '')
    }),
    mockmaker: lines.flatMap(line => /npx mockmaker (?!env)[^|>]*[^|> ]/.exec(line)?.[0] ?? []),
  }
}

function curlRequest(line: string): string {
  const body = / -d '((?:[^']|'\$\w+')*)'| -d "((?:[^"\\]|\\.)*)"/.exec(line)
  const [, method = body ? 'POST' : 'GET'] = / -X (\w+)/.exec(line) ?? []
  return request(method, line, body?.[1] ?? body?.[2] ?? '')
}

function powershellRequest(line: string): string {
  const body = / -Body '([^']*)'| -Body \(@\{(.*?)\} \| ConvertTo-Json\)/.exec(line)
  const [, method = 'GET'] = / -Method (\w+)/.exec(line) ?? []
  return request(method, line, body?.[1] ?? body?.[2] ?? '')
}

/** Formats as `POST http://127.0.0.1:4100/x JSON duel game_modes`: no variables, and sorted words of the body. */
function request(method: string, line: string, body: string): string {
  const [url = ''] = /http:\/\/[^\s'")|]+/.exec(line) ?? []
  const type = /content-?type[: ]application\/json/i.exec(line) ? 'JSON' : ''
  const words = body.replace(/\$[\w.]+/g, '').match(/[\w.-]+/g) ?? []
  return [method.toUpperCase(), url.replace(/\$[\w.]+/g, '*'), type, ...words.sort()].join(' ')
}
