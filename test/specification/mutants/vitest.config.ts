import { relative } from 'node:path'
import { RolldownMagicString } from 'rolldown'
import { parseSync, Visitor } from 'rolldown/utils'
import { defineConfig } from 'vitest/config'
import { lua } from '../../../vitest.config.js'

const mutated = /\/src\/core\/(operations|pipeline)\/[\w-]+\.ts$/

/** The comparison that differs only at its boundary. */
const boundary: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' }

/**
 * Lets each condition of the operations and of the pipeline ask `mutants` for another value: an `if`, a `?:`, an operand of `&&`
 * or `||`, and a comparison at its boundary.
 */
const mutations = {
  name: 'mutations',
  enforce: 'pre' as const,
  transform(code: string, id: string) {
    if (!mutated.test(id)) return
    const changed = new RolldownMagicString(code)
    const file = relative('src/core', id)
    const declared: string[] = []
    const declare = (at: number, kind: string) => {
      const lines = code.slice(0, at).split('\n')
      const name = `${file}:${lines.length}:${(lines.at(-1)?.length ?? 0) + 1} ${kind}`
      declared.push(name)
      return JSON.stringify(name)
    }
    const force = ({ start, end }: { start: number; end: number }, values: readonly boolean[]) => {
      const asked = values.map(value => `mutants.is(${declare(start, `is ${value}`)}) ? ${value} : `).join('')
      changed.prependRight(start, `(${asked}(`)
      changed.appendLeft(end, '))')
    }
    const ofCondition = (node: { test: { start: number; end: number } }) => force(node.test, [true, false])
    new Visitor({
      IfStatement: ofCondition,
      ConditionalExpression: ofCondition,
      LogicalExpression({ operator, left, right }) {
        if (operator !== '??') for (const operand of [left, right]) force(operand, [operator === '&&'])
      },
      BinaryExpression({ operator, left, right, start, end }) {
        const other = boundary[operator]
        if (other === undefined) return
        const asked = `mutants.is(${declare(start, `has ${other}`)})`
        const [a, b] = [left, right].map(operand => code.slice(operand.start, operand.end))
        changed.prependRight(start, `(${asked} ? ${a} ${other} ${b} : `)
        changed.appendLeft(end, ')')
      },
    }).visit(parseSync(id, code).program)
    changed.append(`\nmutants.declare(${JSON.stringify(declared)})`)
    return { code: changed.toString() }
  },
}

export default defineConfig({
  plugins: [lua, mutations],
  test: {
    include: ['test/specification/mutants/run.ts'],
    setupFiles: ['test/specification/mutants/mutants.ts'],
    testTimeout: 3_600_000,
    // A planted mutant may also throw where nobody waits.
    dangerouslyIgnoreUnhandledErrors: true,
    isolate: false,
  },
})
