import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { schemaText, shippedText } from '../support/generated.js'

const files = {
  'fixtures/scenario.schema.json': schemaText,
  'src/scenario/shipped.ts': shippedText,
}

describe.each(Object.entries(files))('%s', (file, text) => {
  if (process.env.UPDATE_FIXTURES === '1') writeFileSync(file, text())

  it('is what `npm run fixtures` makes of the fixtures and the schema', () => {
    expect(readFileSync(file, 'utf8')).toBe(text())
  })
})
