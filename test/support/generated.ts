import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { Scenario } from '../../src/scenario/schema.js'
import { parseScenario } from '../../src/scenarios.js'

/** The names of the shipped scenarios; each is a file in fixtures/. */
export const shippedNames = [
  'default',
  'empty',
  'friday-night',
  'launch-day',
  'ghost-town',
  'tokens-only',
  'nasty',
] as const
export type ShippedName = (typeof shippedNames)[number]

/** The text of a shipped scenario. */
export function fixtureText(name: ShippedName): string {
  return readFileSync(`fixtures/${name}.yaml`, 'utf8')
}

/**
 * What `fixtures/scenario.schema.json` has to say. Draft 7, which every editor knows, without formats: a validator that does
 * not know one refuses the schema, and patterns and limits say the same.
 */
export function schemaText(): string {
  const { $schema, ...schema } = z.toJSONSchema(Scenario, {
    io: 'input',
    target: 'draft-7',
    override: ({ jsonSchema }) => void Reflect.deleteProperty(jsonSchema, 'format'),
  })
  const head = { $schema, $id: 'urn:mockmaker:scenario', title: 'A scenario for mockmaker' }
  return `${JSON.stringify({ ...head, ...schema }, null, 2)}\n`
}

/** What `src/scenario/shipped.ts` has to say. JSON in a text, because an object literal cannot have a key `__proto__`. */
export function shippedText(): string {
  const [first, ...others] = shippedNames
  return `// Made from fixtures/*.yaml by \`npm run fixtures\`. What is changed here is lost.
import type { ScenarioInput } from './schema.js'

/** What a mock serves when it is told nothing: fixtures/${first}.yaml. */
export ${declaration(first)}

${others.map(declaration).join('\n\n')}

/** The shipped scenarios, by name. */
export const scenarios = {
${shippedNames.map(name => `  ${/\W/.test(name) ? `'${name}'` : name}: ${constantOf(name)},\n`).join('')}}
`
}

/** The longest line that the formatter leaves as it is. */
const lineWidth = 120

function declaration(name: ShippedName): string {
  const json = JSON.stringify(parseScenario(fixtureText(name), { file: `fixtures/${name}.yaml` }))
  const head = `const ${constantOf(name)}: ScenarioInput = /* @__PURE__ */ JSON.parse(`
  const line = `${head}'${inQuotes(json)}')`
  return line.length <= lineWidth ? line : `${head}\n  '${inQuotes(json)}',\n)`
}

function constantOf(name: ShippedName): string {
  return `${name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())}Scenario`
}

/** As the inside of a literal in single quotes, in ASCII, so that no name from right to left turns the source around. */
function inQuotes(text: string): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  return text.replace(/['\\]/g, '\\$&').replace(/[^ -~]/g, escaped)
}
