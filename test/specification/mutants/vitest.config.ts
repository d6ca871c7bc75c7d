import { relative } from 'node:path'
import { RolldownMagicString } from 'rolldown'
import { parseSync, Visitor } from 'rolldown/utils'
import { defineConfig } from 'vitest/config'
import main, { lua } from '../../../vitest.config.js'

/** `MUTANTS=operations` or `MUTANTS=pipeline/faults` plants fewer. */
const mutated = new RegExp(`/src/core/(${process.env.MUTANTS ?? 'operations|pipeline'})(/[\\w-]+)?\\.ts$`)

interface Range {
  readonly start: number
  readonly end: number
}

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
    const times = new Map<string, number>()
    const declare = ({ start, end }: Range, kind: string) => {
      const what = `${code.slice(start, end).replace(/\s+/g, ' ').slice(0, 80)} ${kind}`
      const time = (times.get(what) ?? 0) + 1
      times.set(what, time)
      const name = `${file}:${code.slice(0, start).split('\n').length} ${what}${time === 1 ? '' : ` (${time})`}`
      declared.push(name)
      return JSON.stringify(name)
    }
    // The visitor comes to the outer of two conditions first, so the inner one goes to its right.
    const force = ({ start, end }: Range, values: readonly boolean[]) => {
      const asked = values.map(value => `mutants.is(${declare({ start, end }, `is ${value}`)}) ? ${value} : `).join('')
      changed.appendRight(start, `(${asked}(`)
      changed.appendLeft(end, '))')
    }
    const ofCondition = (node: { test: Range }) => force(node.test, [true, false])
    new Visitor({
      IfStatement: ofCondition,
      ConditionalExpression: ofCondition,
      LogicalExpression({ operator, left, right }) {
        if (operator !== '??') for (const operand of [left, right]) force(operand, [operator === '&&'])
      },
      BinaryExpression({ operator, left, right, start, end }) {
        const other = boundary[operator]
        if (other === undefined) return
        const asked = `mutants.is(${declare({ start, end }, `has ${other}`)})`
        const [a, b] = [left, right].map(operand => code.slice(operand.start, operand.end))
        changed.appendRight(start, `(${asked} ? ${a} ${other} ${b} : `)
        changed.appendLeft(end, ')')
      },
    }).visit(parseSync(id, code).program)
    changed.append(`\nmutants.declare(${JSON.stringify(declared)})`)
    return { code: changed.toString() }
  },
}

const shared = {
  setupFiles: ['test/specification/mutants/mutants.ts', 'test/support/restore-fakes.ts'],
  isolate: false,
  maxWorkers: 1,
}

export default defineConfig({
  test: {
    // A planted mutant may also throw where nobody waits.
    dangerouslyIgnoreUnhandledErrors: true,
    silent: true,
    tags: main.test?.tags ?? [],
    projects: [
      {
        plugins: [lua, mutations],
        test: {
          ...shared,
          name: 'specification',
          include: ['test/specification/mutants/run.ts'],
          testTimeout: 3_600_000,
        },
      },
      // Other tests of the same code, for the mutants that the specification does not find.
      {
        plugins: [...(main.plugins ?? []), mutations],
        test: {
          ...shared,
          name: 'others',
          include: [
            'test/core/{operations,pipeline,simulation}/*.test.ts',
            'test/core/control/{call,events,expect,explain*,fault*,guard,history,input,journal*,memory,read-only,request-waits}.test.ts',
            'test/core/control/{sent-request,verify}.test.ts',
            'test/core/storage/settled.test.ts',
            'test/server/{http,processes}/*.test.ts',
            'test/core/mock/options.test.ts',
          ],
          exclude: ['**/*.{slow,model,isolated}.test.ts'],
          runner: 'test/specification/mutants/runner.ts',
          globalSetup: 'test/specification/mutants/report.ts',
          server: { deps: { inline: ['@fast-check/vitest'] } },
          provide: { runs: 6 },
          testTimeout: 3_000,
          sequence: { groupOrder: 1 },
          maxConcurrency: 1,
        },
      },
    ],
  },
})
