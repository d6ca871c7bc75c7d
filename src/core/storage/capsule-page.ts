// The page of a capsule, as HTML. The world stands in an element of its own, as base64 of deflated JSON: no text of a client is
// ever markup.

const [begin, end] = ['<script type="application/octet-stream" id="mockmaker-world">', '</script>']

/** Returns the base64 in the page of a capsule, and how much of the file is there. `undefined`: the text is no such page. */
export function worldIn(html: string): { readonly base64: string; readonly isWhole: boolean } | undefined {
  const at = html.lastIndexOf(begin)
  if (at === -1) return undefined
  const from = at + begin.length
  const to = html.indexOf(end, from)
  return { base64: html.slice(from, to === -1 ? undefined : to), isWhole: to !== -1 }
}

/** Puts a world into the page, in the place of the one that it has. */
export function withWorld(html: string, base64: string): string {
  const from = html.lastIndexOf(begin) + begin.length
  return html.slice(0, from) + base64 + html.slice(html.indexOf(end, from))
}
