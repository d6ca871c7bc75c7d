/** Whether a text is what a glob means, in which `*` stands for anything, also for nothing: `devices.*`. */
export function matchesGlob(text: string, glob: string): boolean {
  const [first = '', ...others] = glob.split('*')
  if (!text.startsWith(first)) return false
  let at = first.length
  for (const [i, piece] of others.entries()) {
    const isLast = i === others.length - 1
    const found = isLast ? text.length - piece.length : text.indexOf(piece, at)
    if (found < at || !text.startsWith(piece, found)) return false
    at = found + piece.length
  }
  return at === text.length
}
