import { operationIds, operations } from '../../src/contract/operations.js'

const begin = '<!-- fidelity: made from the table of operations by `npm run fixtures` -->\n'
const end = '<!-- /fidelity -->'

/** README.md with the list of differences from the real service that the table of operations gives. */
export function withFidelity(text: string): string {
  const from = text.indexOf(begin) + begin.length
  return `${text.slice(0, from)}\n${fidelity()}\n${text.slice(text.indexOf(end))}`
}

function fidelity(): string {
  const told = operationIds.filter(id => operations[id].fidelity.length > 0)
  return told.map(id => [title(id), ...operations[id].fidelity.map(note => `- ${note}`), ''].join('\n')).join('\n')
}

function title(id: (typeof operationIds)[number]): string {
  const { method, path } = operations[id]
  return `**${id}**, \`${method} ${path}\`\n`
}
