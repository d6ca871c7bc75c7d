import { parseJson, withBigInts } from '../lib/json.js'
import { escapedLine } from '../lib/messages.js'
import { longestYaml, type Yaml } from './yaml.js'

/** A longer snapshot stays JSON, which is YAML too. In characters of JSON. */
export const longestAsYaml = longestYaml / 2

/** Texts that all versions of YAML read without quotes: words, ids and times. */
const plain =
  /^(?:\p{L}[\p{L}\p{N}_.-]*(?: [\p{L}\p{N}_.-]+)*|_[\w-]+|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)$/u
const reservedWord = /^(?:null|true|false|y|n|yes|no|on|off)$/i

/** Converts JSON to YAML, unless one of them is long. Throws `SyntaxError` if the text is no JSON. */
export function jsonToYaml(json: string, yaml: Yaml): string {
  if (json.length > longestAsYaml) return json
  const text = stringify(withBigInts(parseJson(json)), yaml)
  // Some YAML readers also take other characters for line ends. They are all in quotes.
  const safe = text.split('\n').map(escapedLine).join('\n')
  // Deep values are much longer as YAML. The mock must be able to read what it has written.
  return safe.length > longestYaml ? json : safe
}

function stringify(value: unknown, yaml: Yaml): string {
  const document = new yaml.Document(value, { aliasDuplicateObjects: false })
  yaml.visit(document, {
    Scalar(_, node) {
      const { value } = node
      if (typeof value === 'string' && (!plain.test(value) || reservedWord.test(value))) node.type = 'QUOTE_DOUBLE'
    },
  })
  return document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER })
}
