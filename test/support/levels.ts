import { readdirSync, readFileSync } from 'node:fs'
import { type ErrorCode, errorStatus } from '../../src/core/contract/errors.js'
import { type OperationId, operationIds, operations } from '../../src/core/contract/operations.js'
import { counted } from '../../src/core/lib/messages.js'

/** An answer that a test has seen: see `test/support/evidence.ts`. */
interface Evidence {
  readonly operation: string
  readonly result: string
  readonly source: 'specification' | 'client' | 'service'
  readonly who: string
}

const folder = 'test/specification/evidence'

const evidence = readdirSync(folder).flatMap(file =>
  readFileSync(`${folder}/${file}`, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line): Evidence => {
      const [operation = '', result = '', ...who] = line.split(' ')
      const source = file === 'service.txt' ? 'service' : file === 'specification.txt' ? 'specification' : 'client'
      return { operation, result, source, who: who.join(' ') }
    }),
)

interface Killed {
  readonly operations: Readonly<Record<OperationId, { readonly mutants: number; readonly killed: number }>>
  readonly codes: { readonly [code in ErrorCode]?: number }
}

const { operations: mutantsOf, codes: killedOf } = JSON.parse(
  readFileSync('test/specification/mutants/killed.json', 'utf8'),
) as Killed

const ofOperation = (id: OperationId) =>
  evidence.filter(({ operation, result }) => operation === id && result === '200')
const ofCode = (code: string) => evidence.filter(({ result }) => result === code)

const clients = ['JavaScript', 'CLI', 'Godot', 'Unity', 'Unreal']

function operationRow(id: OperationId): string {
  const found = ofOperation(id)
  const { errors } = operations[id]
  const got = errors.filter(code => ofCode(code).some(({ operation }) => operation === id))
  const { mutants, killed } = mutantsOf[id]
  const cells = [
    `\`${id}\``,
    `${got.length}/${errors.length}`,
    clients.filter(client => found.some(({ who }) => who === client)).join(' ') || '–',
    found.filter(({ source }) => source === 'service').length || '–',
    `${killed}/${mutants}`,
  ]
  return `| ${cells.join(' | ')} |`
}

const sources: { readonly [source in Evidence['source']]: string } = {
  client: 'a published client',
  service: "the service's own tests",
  specification: 'our tests alone',
}

/** Names what answers a code. Our own tests count only if nobody else does. */
function sourceOf(code: string): string | undefined {
  const found = new Set(ofCode(code).map(({ source }) => source))
  if (found.size > 1) found.delete('specification')
  return (
    [...found]
      .sort()
      .map(source => sources[source])
      .join(' and ') || undefined
  )
}

const listed = (codes: readonly string[]) => codes.map(code => `\`${code}\``).join(', ')

/** The table of operations, and the error codes by what answers them. */
export function levelTable(): string {
  const groups = new Map<string, ErrorCode[]>()
  for (const code of Object.keys(errorStatus) as ErrorCode[]) {
    const source = sourceOf(code)
    if (source === undefined) continue
    groups.set(source, [...(groups.get(source) ?? []), code])
  }
  const unplanted = [...groups.values()].flat().filter(code => !(code in killedOf))
  return [
    '| operation | codes | clients | service | mutants |',
    '|---|---|---|---|---|',
    ...operationIds.map(operationRow),
    '',
    ...[...groups].map(([source, codes]) => `- From ${source}: ${listed(codes)}`),
    `- Of these, no mutant adds or takes ${listed(unplanted)}`,
  ].join('\n')
}

/** What the front page says. Only evidence of others proves something. */
export function levelLine(): string {
  const levelOf = (found: readonly Evidence[]) =>
    found.length === 0 ? 'unknown' : found.every(({ source }) => source === 'specification') ? 'tested' : 'proven'
  const operationLevels = operationIds.map(id => levelOf(ofOperation(id)))
  const codeLevels = Object.keys(errorStatus).map(code => levelOf(ofCode(code)))
  const count = (levels: readonly string[], level: ReturnType<typeof levelOf>) =>
    levels.filter(one => one === level).length
  const named = (level: ReturnType<typeof levelOf>) =>
    [
      counted(count(operationLevels, level), 'operation', 'operations'),
      counted(count(codeLevels, level), 'code', 'codes'),
    ]
      .filter(text => !text.startsWith('0 '))
      .join(' and ')
  const by = "by published clients or the service's own tests"
  return `[Proven](docs/reference/fidelity.md) ${by}: ${named('proven')}. Not proven, by our tests alone: ${named('tested')}. Unknown: ${named('unknown')}.`
}
