import { UsageError } from '../lib/usage-error.js'
import type { ScenarioInput } from '../scenario/schema.js'
import { JsonToYaml } from '../scenario/write-yaml.js'
import type { MockResponseInit } from '../server/message.js'

const encoder = new TextEncoder()

/** A JSON response. If it holds tokens, only the mock's own pages may read it. */
export function jsonResponse(value: object, cors: MockResponseInit['cors']): MockResponseInit {
  return response('application/json', JSON.stringify(value), cors)
}

/** A plain text that pages of this machine may read. */
export function textResponse(text: string): MockResponseInit {
  return response('text/plain; charset=utf-8', text, 'loopback')
}

/** The longest snapshot that is answered as YAML, in characters of its JSON: some 50,000 lobbies. */
const maxYamlLength = 16 * 1024 * 1024

/** A snapshot as YAML. Throws `UsageError` if it is too long. */
export function yamlResponse(snapshot: ScenarioInput): MockResponseInit {
  const json = JSON.stringify(snapshot)
  if (json.length > maxYamlLength) {
    throw new UsageError(
      'the snapshot is too long to be answered as YAML: ask for application/json, or run mockmaker export, which writes YAML itself',
    )
  }
  const writer = new JsonToYaml()
  return response('application/yaml', writer.push(json) + writer.end(), 'loopback')
}

function response(type: string, text: string, cors: MockResponseInit['cors']): MockResponseInit {
  const headers = { 'content-type': type, 'x-content-type-options': 'nosniff' }
  return { status: 200, headers, body: encoder.encode(text), cors }
}

/** Tells from an Accept header whether a client prefers JSON to another type. If both are alike to it, it does not. */
export function prefersJson(accept = '*/*', other: 'text/html' | 'text/plain' = 'text/html'): boolean {
  const json = preference('application/json', accept)
  const text = preference(other, accept)
  if (json.quality !== text.quality) return json.quality > text.quality
  return json.quality > 0 && json.precision > text.precision
}

/** Tells from an Accept header whether a client names YAML, and likes it as well as JSON. */
export function prefersYaml(accept = '*/*'): boolean {
  const json = preference('application/json', accept)
  const yaml = ['application/yaml', 'application/x-yaml', 'text/yaml'].map(type => preference(type, accept))
  return yaml.some(({ quality, precision }) => quality > 0 && precision === 2 && quality >= json.quality)
}

/** Returns the quality of a type, 0 to 1, and how precisely it was named: 2 by its name, 1 by `type/*`, 0 by `*\/*`. */
function preference(type: string, accept: string): { readonly quality: number; readonly precision: number } {
  const names = ['*/*', type.replace(/\/.*/, '/*'), type]
  return accept
    .split(',')
    .map(mediaRange)
    .map(range => ({ quality: range.quality, precision: names.indexOf(range.type) }))
    .reduce((best, range) => (range.precision > best.precision ? range : best), { quality: 0, precision: -1 })
}

function mediaRange(text: string): { readonly type: string; readonly quality: number } {
  const [type = '', ...parameters] = text.split(';').map(part => part.trim().toLowerCase())
  const quality = parameters.find(parameter => parameter.startsWith('q='))?.slice(2)
  return { type, quality: quality === undefined ? 1 : Number(quality) || 0 }
}
