import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { gunzipSync } from 'node:zlib'
import type { Dashboard } from '../control/pages.js'

let read: Dashboard | undefined

/** Returns the dashboard page. Reads it from the package on the first call: most mocks are never looked at. */
export function readDashboard(): Dashboard {
  read ??= withHashes(gunzipSync(readFileSync(createRequire(import.meta.url).resolve('#dashboard'))).toString())
  return read
}

/** Adds the hashes by which a content security policy allows the style and the script of a page. */
function withHashes(html: string): Dashboard {
  const hashOf = (element: string) => {
    const [, text = ''] = new RegExp(`<${element}>(.*)</${element}>`, 's').exec(html) ?? []
    return `sha256-${createHash('sha256').update(text).digest('base64')}`
  }
  return { html, styleHash: hashOf('style'), scriptHash: hashOf('script') }
}
