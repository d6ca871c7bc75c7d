import { readFileSync } from 'node:fs'

/** What is described where it is steered: faults, and the journal. */
const elsewhere = ['faults', 'journal']

/** The names of all keys of the scenario format, by its JSON Schema; not `$schema`, which is for editors. */
export function scenarioKeys(): string[] {
  const schema: unknown = JSON.parse(readFileSync('fixtures/scenario.schema.json', 'utf8'))
  const keys = new Set<string>()
  collect(schema, keys)
  keys.delete('$schema')
  return [...keys]
}

function collect(schema: unknown, keys: Set<string>): void {
  if (typeof schema !== 'object' || schema === null) return
  for (const [name, inner] of Object.entries(schema)) {
    if (name !== 'properties') {
      collect(inner, keys)
      continue
    }
    for (const [key, value] of Object.entries(inner as object)) {
      keys.add(key)
      if (!elsewhere.includes(key)) collect(value, keys)
    }
  }
}
