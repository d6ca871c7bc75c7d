/** A media range of an Accept header. */
interface MediaRange {
  readonly type: string
  /** 0 to 1. */
  readonly quality: number
}

/** How well a type is liked: by its quality, then by how closely it was named (2: by its name, 1: `type/*`, 0: `*\/*`). */
interface Liking {
  readonly quality: number
  readonly closeness: number
}

/** Whether a client would rather have JSON than HTML, or another type, from its Accept header; not where both are the same to it. */
export function prefersJson(accept = '*/*', other: 'text/html' | 'text/plain' = 'text/html'): boolean {
  const ranges = accept.split(',').map(mediaRange)
  const json = liking('application/json', ranges)
  const text = liking(other, ranges)
  if (json.quality !== text.quality) return json.quality > text.quality
  return json.quality > 0 && json.closeness > text.closeness
}

/** Whether a client would rather have YAML than JSON. */
export function prefersYaml(accept = '*/*'): boolean {
  const ranges = accept.split(',').map(mediaRange)
  const json = liking('application/json', ranges)
  const yaml = ['application/yaml', 'application/x-yaml', 'text/yaml'].map(type => liking(type, ranges))
  return yaml.some(({ quality, closeness }) => quality > 0 && closeness === 2 && quality >= json.quality)
}

function mediaRange(text: string): MediaRange {
  const [type = '', ...parameters] = text.split(';').map(part => part.trim().toLowerCase())
  const quality = parameters.find(parameter => parameter.startsWith('q='))?.slice(2)
  return { type, quality: quality === undefined ? 1 : Number(quality) || 0 }
}

function liking(type: string, ranges: readonly MediaRange[]): Liking {
  const names = ['*/*', type.replace(/\/.*/, '/*'), type]
  return ranges
    .map(range => ({ quality: range.quality, closeness: names.indexOf(range.type) }))
    .reduce((best, range) => (range.closeness > best.closeness ? range : best), { quality: 0, closeness: -1 })
}
