import { promisify } from 'node:util'
import { deflate, gunzipSync, inflateSync } from 'node:zlib'
import { capsule } from '#lazy'
import { exceededLimit, isJsonObject, parseJson } from '../../core/lib/json.js'
import { sizeText, UsageError } from '../../core/lib/messages.js'
import type { Steps } from '../../core/lib/steps.js'
import { fileNestingLimit } from '../../core/scenario/yaml.js'
import { withWorld, worldIn } from '../../core/storage/capsule-page.js'

/** Makes the file of a capsule from its JSON: the page, with the world inside. */
export async function capsuleHtml(json: string): Promise<string> {
  const page = gunzipSync(Buffer.from(capsule(), 'base64')).toString()
  const world = await promisify(deflate)(json)
  return withWorld(page, world.toString('base64'))
}

/** The most bytes of a world, unless somebody says another number. */
const mostBytes = 500_000_000

interface ReadOptions {
  /** The name of the file, for messages. Default: `the capsule`. */
  readonly file?: string | undefined
  /** The most bytes that the JSON may have. Default: 500 MB. */
  readonly bytes?: number | undefined
  /** The most objects, arrays and commas outside of the texts in the JSON. Default: any number. */
  readonly values?: number | undefined
}

/**
 * Returns the JSON in the file of a capsule. Returns `undefined` if the text is no HTML. Throws `UsageError` for another page, and for a
 * file that is damaged, not whole or too large.
 */
export function capsuleJson(
  html: string,
  { file = 'the capsule', bytes = mostBytes, values }: ReadOptions = {},
): string | undefined {
  if (!/^\uFEFF?\s*(<!--.*?-->\s*)*<(!doctype|html)\b/is.test(html.slice(0, 4_096))) {
    if (/\.html?$/i.test(file)) throw new UsageError(`${file} does not begin as a page: get the file again`)
    return undefined
  }
  const world = worldIn(html)
  if (!world)
    throw new UsageError(`${file} is a page, but not one of a capsule: save one with mockmaker export --capsule`)
  if (world === 'cut') throw new UsageError(`${file} is not whole: its end is missing. Get the file again`)
  if (world === 'two') throw new UsageError(`${file} has two capsules: save each of them in a file of its own`)
  const json = inflated(world.base64, { file, bytes })
  const exceeded = exceededLimit(json, { levels: fileNestingLimit, values })
  if (exceeded === 'levels')
    throw new UsageError(`${file} is damaged: its world nests deeper than ${fileNestingLimit} levels`)
  if (exceeded === 'values') throw tooLarge(file, `${values} objects, arrays and commas`)
  return json.toString()
}

/** Returns the world in the file of a capsule, as `capsuleJson` finds it. It is JSON, and never YAML: that would take minutes. */
export function* capsuleWorld(html: string, options: ReadOptions): Steps<object | undefined> {
  // The first two steps run at once.
  yield
  const json = capsuleJson(html, options)
  if (json === undefined) return undefined
  yield
  const world = objectIn(json)
  yield
  if (world) return world
  throw new UsageError(`${options.file ?? 'the capsule'} is damaged: its world is no object of JSON`)
}

function objectIn(json: string): object | undefined {
  try {
    const world = parseJson(json)
    return isJsonObject(world) ? world : undefined
  } catch {
    return undefined
  }
}

function inflated(base64: string, { file, bytes }: { readonly file: string; readonly bytes: number }): Buffer {
  try {
    return inflateSync(Buffer.from(base64, 'base64'), { maxOutputLength: bytes })
  } catch (error) {
    const { code } = error as { readonly code?: string } // of zlib
    if (code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(file, sizeText(bytes))
    throw new UsageError(`${file} is damaged: its world cannot be inflated. Get the file again`)
  }
}

function tooLarge(file: string, most: string): UsageError {
  return new UsageError(
    `${file} is too large: its world has more than ${most}. Save a shorter past with --last, such as --last 10m`,
  )
}
