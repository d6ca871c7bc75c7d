import type { Auth } from '../../src/contract/operation.js'
import { operationIds, operations } from '../../src/contract/operations.js'
import { controlOperations } from '../../src/control/operations.js'
import { shownCall } from '../../src/control/shown-call.js'

/** README.md with the parts that are made from the tables of operations: the calls, those of the control API, and the differences from the real service. */
export function withTable(text: string): string {
  const parts = { operations: calls(), fidelity: differences(), control: controlCalls() }
  return Object.entries(parts).reduce((whole, [name, part]) => replaced(whole, name, part), text)
}

function replaced(text: string, name: string, part: string): string {
  const begin = `<!-- ${name}: made from the table of operations by \`npm run fixtures\` -->\n`
  const from = text.indexOf(begin) + begin.length
  return `${text.slice(0, from)}\n${part}\n${text.slice(text.indexOf(`<!-- /${name} -->`))}`
}

const needs: { readonly [auth in Auth]: string } = {
  none: 'none',
  bearer: 'one of any kind',
  namespace: 'public, development, or none',
  public: 'public or development',
  lobby: 'lobby or development',
  cloud: 'cloud',
}

function calls(): string {
  const rows = operationIds.map(id => {
    const { method, path, auth, summary } = operations[id]
    return `| \`${method} ${path}\` | ${needs[auth]} | ${summary} |`
  })
  return ['| call | token | |', '|---|---|---|', ...rows, ''].join('\n')
}

function controlCalls(): string {
  const rows = Object.values(controlOperations).map(call => {
    const { method, path, summary, query, body } = shownCall(call)
    const keys = [query && `\`?${query.join('&')}\``, body && `\`{${body.join(', ')}}\``].filter(
      text => text !== undefined,
    )
    return `| \`${method} ${path}\` | ${keys.join(' ')} | ${summary} |`
  })
  return ['| call | query, body | |', '|---|---|---|', ...rows, ''].join('\n')
}

function differences(): string {
  const told = operationIds.filter(id => operations[id].fidelity.length > 0)
  return told.map(id => [title(id), ...operations[id].fidelity.map(note => `- ${note}`), ''].join('\n')).join('\n')
}

function title(id: (typeof operationIds)[number]): string {
  const { method, path } = operations[id]
  return `**${id}**, \`${method} ${path}\`\n`
}
