import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { parseScenario } from '../../src/core/scenario/index.js'
import { Scenario } from '../../src/core/scenario/schema.js'
import { pages } from '../support/docs.js'
import { withGenerated, withoutGenerated } from '../support/generated-tables.js'
import { landModule } from '../support/land.js'
import { levelLine } from '../support/levels.js'
import { llmsFile, llmsText } from '../support/llms.js'
import { controlDocument } from './control-openapi.js'
import { generatedFiles, generatedTypes } from './generated-types.js'
import { snippetsOf } from './scenario-snippets.js'

it('`npm run generate` writes fixtures/scenario.schema.json', async () => {
  await expect(jsonSchema()).toMatchFileSnapshot('../../fixtures/scenario.schema.json')
})

it('`npm run generate` writes src/core/scenario/shipped.ts', async () => {
  await expect(shippedModule()).toMatchFileSnapshot('../../src/core/scenario/shipped.ts')
})

it('`npm run generate` writes src/core/generated/land.ts', async () => {
  await expect(landModule()).toMatchFileSnapshot('../../src/core/generated/land.ts')
})

it.each(generatedFiles)('`npm run generate` writes src/core/generated/%s.ts', async file => {
  await expect(generatedTypes(file)).toMatchFileSnapshot(`../../src/core/generated/${file}.ts`)
})

it('`npm run generate` writes fixtures/control-openapi.json', async () => {
  await expect(controlDocument()).toMatchFileSnapshot('../../fixtures/control-openapi.json')
})

const pagesWithTables = pages.filter(({ text }) => text !== withoutGenerated(text))

it.each(pagesWithTables)('`npm run generate` writes $path', async ({ path, text }) => {
  await expect(withGenerated(text)).toMatchFileSnapshot(`../../${path}`)
})

it('`npm run generate` writes the line of README.md that says what is proven', async () => {
  const text = readFileSync('README.md', 'utf8').replace(/\[Proven\].*/, levelLine())
  expect(text).toContain(levelLine())
  await expect(text).toMatchFileSnapshot('../../README.md')
})

it('all evidence is what a test keeps', () => {
  const tests = readdirSync('test/specification', { recursive: true, encoding: 'utf8' }).filter(file =>
    /itKeepsEvidence\(\)\n$/.test(file.endsWith('.test.ts') ? readFileSync(`test/specification/${file}`, 'utf8') : ''),
  )
  const kept = tests.map(file => basename(file).replace('.test.ts', '.txt'))
  expect(readdirSync('test/specification/evidence').sort()).toEqual(kept.sort())
})

it('`npm run generate` writes llms.txt', async () => {
  await expect(llmsText()).toMatchFileSnapshot(`../../${llmsFile}`)
})

/**
 * The JSON Schema of scenarios. It is draft 7, which every editor knows. It has no formats, because some validators
 * refuse unknown formats. Its patterns and limits are equivalent.
 */
function jsonSchema(): string {
  const { $schema, ...schema } = z.toJSONSchema(Scenario(), {
    io: 'input',
    target: 'draft-7',
    override({ zodSchema, jsonSchema }) {
      Reflect.deleteProperty(jsonSchema, 'format')
      // The library omits these for a schema with a codec. Ours are in the file format.
      const { default: value, examples } = z.globalRegistry.get(zodSchema) ?? {}
      if (value !== undefined) jsonSchema.default = value as typeof jsonSchema.default
      if (Array.isArray(examples)) jsonSchema.examples = examples
      const defaultSnippets = snippetsOf(zodSchema)
      // Editors look in the branch for objects.
      const branch = jsonSchema.anyOf?.find(({ type }) => type === 'object') ?? jsonSchema
      if (defaultSnippets) branch.defaultSnippets = defaultSnippets
    },
  })
  const head = { $schema, $id: 'urn:mockmaker:scenario', title: 'A scenario for mockmaker' }
  return `${JSON.stringify({ ...head, ...schema }, null, 2)}\n`
}

/** The module of the shipped scenarios. It contains JSON texts, because object literals cannot have `__proto__`. */
function shippedModule(): string {
  const names = [
    ...['default', 'empty', 'friday-night', 'launch-day', 'ghost-town', 'party', 'region-down', 'server-crash'],
    ...['night-shift', 'tokens-only', 'nasty'],
  ]
  const [first = '', ...others] = names
  return `// \`npm run generate\` writes this file from fixtures/*.yaml.
import type { ScenarioInput } from './schema.js'

/** The text of the default scenario: fixtures/${first}.yaml. */
export const defaultText =
  '${escaped(scenarioText(first))}'

/** The default scenario. */
export const defaultScenario: ScenarioInput = /* @__PURE__ */ JSON.parse(defaultText)

${others.map(scenarioConstant).join('\n\n')}

/** The shipped scenarios, by name. */
export const scenarios = {
${names.map(name => `  ${/\W/.test(name) ? `'${name}'` : name}: ${constantName(name)},\n`).join('')}}
`
}

function scenarioText(name: string): string {
  const file = `fixtures/${name}.yaml`
  return JSON.stringify(parseScenario(readFileSync(file, 'utf8'), { file }))
}

function scenarioConstant(name: string): string {
  const head = `const ${constantName(name)}: ScenarioInput = /* @__PURE__ */ JSON.parse(`
  const line = `${head}'${escaped(scenarioText(name))}')`
  // The formatter breaks longer lines.
  return line.length <= 120 ? line : `${head}\n  '${escaped(scenarioText(name))}',\n)`
}

function constantName(name: string): string {
  return `${name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())}Scenario`
}

/** Escapes a text for single quotes. The source stays ASCII, so that no right-to-left name reverses it. */
function escaped(text: string): string {
  const unicode = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  return text.replace(/['\\]/g, '\\$&').replace(/[^ -~]/g, unicode)
}
