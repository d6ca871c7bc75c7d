import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { operationIds, operations } from '../../../src/core/contract/operations.js'
import { answerEntryPoint, type OpenMock } from '../../support/entry-points.js'
import type { TestRequest, TestResponse } from '../../support/http.js'
import { tanks } from '../../support/tanks.js'
import type { Frame } from '../frame.js'
import { specification } from '../specification.js'
import { writeResults } from './results.js'

type Sender = Pick<OpenMock, 'send'>
type Case = (mock: Sender) => Promise<void>

/** Returns the cases of the specification. */
function collect(): readonly Case[] {
  const cases: Case[] = []
  const it: Frame['it'] = (_, run) => void cases.push(mock => run({ mock }))
  it.for = given => (_, run) => void cases.push(...given.map<Case>(one => mock => run(one, { mock })))
  specification({ describe: (_, specify) => specify(), it })
  return cases
}

const patterns = operationIds.map(id => {
  const { method, path } = operations[id]
  return { id, pattern: new RegExp(`^${method} ${path.replace(/\{\w+\}/g, '[^/]+')}$`) }
})

const operationOf = ({ method, path }: TestRequest) =>
  patterns.find(({ pattern }) => pattern.test(`${method} ${path}`))?.id

/** The code of a failure, or nothing. */
function codeOf({ status, body }: TestResponse): string | undefined {
  return status < 400 ? undefined : (JSON.parse(body) as { code: string }).code
}

/** Lists values by key. */
class Lists<Value> {
  readonly of = new Map<string, Set<Value>>()

  add(keys: Iterable<string>, value: Value): void {
    for (const key of keys) this.of.set(key, (this.of.get(key) ?? new Set()).add(value))
  }

  toObject(): Readonly<Record<string, Value[]>> {
    return Object.fromEntries([...this.of].map(([key, values]) => [key, [...values]]))
  }
}

/** Runs each case once without a mutant. */
async function runAll(cases: readonly Case[]) {
  const casesOf = new Lists<Case>()
  const byOperation = new Lists<string>()
  const codesOf = new Map<Case, readonly (string | undefined)[]>()
  const mock = await answerEntryPoint.open(tanks)
  let codes: (string | undefined)[] = []
  const observed: Sender = {
    async send(request) {
      const earlier = [...mutants.reached]
      mutants.reached.clear()
      const response = await mock.send(request)
      const id = operationOf(request)
      if (id) for (const name of mutants.reached) byOperation.add([id], name)
      for (const name of earlier) mutants.reached.add(name)
      codes.push(codeOf(response))
      return response
    },
  }
  for (const one of cases) {
    mutants.reached.clear()
    codes = []
    await one(observed)
    codesOf.set(one, codes)
    casesOf.add(mutants.reached, one)
    await mock.reset()
  }
  await mock.close()
  return { casesOf: casesOf.of, byOperation, codesOf }
}

/** Runs cases with a mutant until one fails. Returns that case, and the codes that it got. A case that takes more than 2 s fails. */
async function findMutant(name: string, cases: Iterable<Case>, mock: OpenMock) {
  for (const one of cases) {
    const end = new AbortController()
    const codes: (string | undefined)[] = []
    const observed: Sender = {
      async send(request) {
        const response = await mock.send(request)
        codes.push(codeOf(response))
        return response
      },
    }
    mutants.planted = name
    const passes = await Promise.race([
      one(observed).then(
        () => true,
        () => false,
      ),
      setTimeout(2_000, false, { signal: end.signal }),
    ])
    mutants.planted = undefined
    end.abort()
    if (!passes) return { one, codes }
    await mock.reset()
  }
  return undefined
}

// `report.ts` judges the mutants that are left.
it('records which mutants the specification finds', async () => {
  const { casesOf, byOperation, codesOf } = await runAll(collect())
  const killed = new Set<string>()
  const byCode = new Lists<string>()
  let mock = await answerEntryPoint.open(tanks)
  for (const [name, cases] of casesOf) {
    const found = await findMutant(name, cases, mock)
    if (!found) continue
    killed.add(name)
    const expected = codesOf.get(found.one) ?? []
    const at = found.codes.findIndex((code, index) => code !== expected[index])
    const code = expected[at] ?? found.codes[at]
    if (code !== undefined) byCode.add([code], name)
    // A mock that a mutant has broken may not close.
    mock.close().catch(() => {})
    mock = await answerEntryPoint.open(tanks)
  }
  await mock.close()

  writeResults({
    byOperation: byOperation.toObject(),
    byCode: byCode.toObject(),
    all: [...mutants.all],
    reached: [...casesOf.keys()],
    killed: [...killed],
  })
  expect(killed.size).toBeGreaterThan(0)
})
