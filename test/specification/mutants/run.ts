import { writeFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { operationIds, operations } from '../../../src/core/contract/operations.js'
import { answerEntryPoint, type OpenMock } from '../../support/entry-points.js'
import { tanks } from '../../support/tanks.js'
import type { Frame } from '../frame.js'
import { specification } from '../specification.js'

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

/** Maps each mutant that something reaches to what reaches it. */
class Reached<By> {
  readonly of = new Map<string, Set<By>>()

  add(names: Iterable<string>, by: By): void {
    for (const name of names) this.of.set(name, (this.of.get(name) ?? new Set()).add(by))
  }
}

/** Runs each case once without a mutant. */
async function reachedBy(cases: readonly Case[]) {
  const byCase = new Reached<Case>()
  const byOperation = new Reached<string>()
  const mock = await answerEntryPoint.open(tanks)
  const observed: Sender = {
    async send(request) {
      const earlier = [...mutants.reached]
      mutants.reached.clear()
      const response = await mock.send(request)
      const sent = patterns.find(({ pattern }) => pattern.test(`${request.method} ${request.path}`))
      if (sent) byOperation.add(mutants.reached, sent.id)
      for (const name of earlier) mutants.reached.add(name)
      return response
    },
  }
  for (const one of cases) {
    mutants.reached.clear()
    await one(observed)
    byCase.add(mutants.reached, one)
    await mock.reset()
  }
  await mock.close()
  return { byCase: byCase.of, byOperation: byOperation.of }
}

/** Tells whether one of these cases fails with a mutant. One that takes 2 s longer than others counts as failed. */
async function isKilled(name: string, cases: Iterable<Case>, mock: OpenMock): Promise<boolean> {
  for (const one of cases) {
    const end = new AbortController()
    mutants.planted = name
    const passes = await Promise.race([
      one(mock).then(
        () => true,
        () => false,
      ),
      setTimeout(2_000, false, { signal: end.signal }),
    ])
    mutants.planted = undefined
    end.abort()
    if (!passes) return true
    await mock.reset()
  }
  return false
}

it('the specification finds the mutants of operations and of the pipeline', async () => {
  const { byCase, byOperation } = await reachedBy(collect())
  const killed = new Set<string>()
  let mock = await answerEntryPoint.open(tanks)
  for (const [name, cases] of byCase) {
    if (!(await isKilled(name, cases, mock))) continue
    killed.add(name)
    // A mock that a mutant has broken may not close.
    mock.close().catch(() => {})
    mock = await answerEntryPoint.open(tanks)
  }
  await mock.close()

  const share = (names: readonly string[]) => ({
    mutants: names.length,
    killed: names.filter(name => killed.has(name)).length,
  })
  const own = [...byOperation].filter(([name]) => name.startsWith('operations/'))
  const results = operationIds.map(id => [id, share(own.flatMap(([name, ids]) => (ids.has(id) ? [name] : [])))])
  await writeFile(
    new URL('killed.json', import.meta.url),
    `${JSON.stringify(Object.fromEntries(results), undefined, 2)}\n`,
  )

  const survivors = [...byCase.keys()].filter(name => !killed.has(name))
  const unreached = [...mutants.all].filter(name => !byCase.has(name))
  const lists = [`survived:\n${survivors.sort().join('\n')}`, `not reached:\n${unreached.sort().join('\n')}`]
  process.stdout.write(
    `${lists.join('\n\n')}\n\n${killed.size} of ${byCase.size} found, ${unreached.length} not reached\n`,
  )
  expect(killed.size).toBeGreaterThan(0)
})
