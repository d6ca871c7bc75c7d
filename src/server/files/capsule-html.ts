import { promisify } from 'node:util'
import { deflate, gunzipSync, inflateSync } from 'node:zlib'
import { capsule } from '#lazy'
import { sizeText, UsageError } from '../../core/lib/messages.js'
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
}

/**
 * Returns the JSON in the file of a capsule. Returns `undefined` if the text is no HTML. Throws `UsageError` for another page, and for a
 * file that is damaged, not whole or too large.
 */
export function capsuleJson(
  html: string,
  { file = 'the capsule', bytes = mostBytes }: ReadOptions = {},
): string | undefined {
  if (!/^\uFEFF?\s*(<!--.*?-->\s*)*<(!doctype|html)\b/is.test(html.slice(0, 4_096))) return undefined
  const world = worldIn(html)
  if (!world)
    throw new UsageError(`${file} is a page, but not one of a capsule: save one with mockmaker export --capsule`)
  if (world === 'cut') throw new UsageError(`${file} is not whole: its end is missing. Get the file again`)
  try {
    return inflateSync(Buffer.from(world.base64, 'base64'), { maxOutputLength: bytes }).toString()
  } catch (error) {
    const { code } = error as { readonly code?: string } // of zlib
    if (code !== 'ERR_BUFFER_TOO_LARGE')
      throw new UsageError(`${file} is damaged: its world cannot be inflated. Get the file again`)
    throw new UsageError(
      `${file} is too large: its world has more than ${sizeText(bytes)}. Save a shorter past with --last, such as --last 10m`,
    )
  }
}
