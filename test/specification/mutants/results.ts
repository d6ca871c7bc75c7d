import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The findings of the specification, for the other tests and for the report. */
export interface Results {
  /** The mutants that a case reaches, by operation. */
  readonly byOperation: Readonly<Record<string, readonly string[]>>
  /** The mutants that the specification found, by the error code that one added or took away. */
  readonly byCode: Readonly<Record<string, readonly string[]>>
  readonly all: readonly string[]
  readonly reached: readonly string[]
  readonly killed: readonly string[]
}

const file = fileURLToPath(new URL('../../../node_modules/.cache-mutants.json', import.meta.url))

export const readResults = () => JSON.parse(readFileSync(file, 'utf8')) as Results
export const writeResults = (results: Results) => writeFileSync(file, JSON.stringify(results))
