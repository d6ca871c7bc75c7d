// The page of a capsule, as HTML. The world stands in an element of its own, as base64 of deflated JSON: no text of a client is
// ever markup.

/** The first element of the page has such an id. */
const mark = 'id="mockmaker-'
const [begin, end] = ['<script type="application/octet-stream" id="mockmaker-world">', '</script>']

/**
 * Returns the base64 of the world in the page of a capsule. `cut`: its end is missing. `two`: there are two pages, and a browser shows
 * one of them. `undefined`: the text is no such page.
 */
export function worldIn(html: string): { readonly base64: string } | 'cut' | 'two' | undefined {
  if (!html.includes(mark)) return undefined
  const at = html.lastIndexOf(begin)
  if (html.indexOf(begin) < at) return 'two'
  const from = at + begin.length
  const to = html.indexOf(end, from)
  return at === -1 || to === -1 || !html.includes('</html>', to) ? 'cut' : { base64: html.slice(from, to) }
}

/** Puts a world into the page, in the place of the one that it has. */
export function withWorld(html: string, base64: string): string {
  const from = html.lastIndexOf(begin) + begin.length
  return html.slice(0, from) + base64 + html.slice(html.indexOf(end, from))
}
