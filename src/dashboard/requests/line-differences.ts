/** Lines of two texts that stand side by side. The same line in both is in both texts. Absent: that text has no line here. */
export interface LinePair {
  readonly old?: string | undefined
  readonly changed?: string | undefined
}

/** Larger products of lines are not compared line by line. */
const mostCompared = 4_000_000

/** Puts the lines of two texts side by side, so that as many as possible are the same. */
export function compareLines(oldText: string, changedText: string): LinePair[] {
  const [old, changed] = [oldText.split('\n'), changedText.split('\n')]
  const shorter = Math.min(old.length, changed.length)
  let head = 0
  while (head < shorter && old[head] === changed[head]) head += 1
  let tail = 0
  while (tail < shorter - head && old.at(-1 - tail) === changed.at(-1 - tail)) tail += 1
  const same = (lines: readonly string[]) => lines.map((line): LinePair => ({ old: line, changed: line }))
  return [
    ...same(old.slice(0, head)),
    ...alignLines(old.slice(head, old.length - tail), changed.slice(head, changed.length - tail)),
    ...same(old.slice(old.length - tail)),
  ]
}

/** Finds the longest common sequence of lines. The lines between its lines are pairs that differ. */
function alignLines(old: readonly string[], changed: readonly string[]): LinePair[] {
  const width = changed.length + 1
  const isShort = old.length * changed.length <= mostCompared
  /** For each pair of positions: how many lines after them are common. */
  const common = new Uint32Array(isShort ? (old.length + 1) * width : 0)
  const at = (i: number, j: number) => common[i * width + j] ?? 0
  if (isShort)
    for (let i = old.length - 1; i >= 0; i--)
      for (let j = changed.length - 1; j >= 0; j--)
        common[i * width + j] = old[i] === changed[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const pairs: LinePair[] = []
  let [i, j, removed, added] = [0, 0, 0, 0]
  const endGap = () => {
    for (let k = 0; k < Math.max(removed, added); k++)
      pairs.push({
        old: k < removed ? old[i - removed + k] : undefined,
        changed: k < added ? changed[j - added + k] : undefined,
      })
    ;[removed, added] = [0, 0]
  }
  while (i < old.length || j < changed.length) {
    if (old[i] === changed[j]) {
      endGap()
      pairs.push({ old: old[i++], changed: changed[j++] })
    } else if (j === changed.length || (i < old.length && at(i + 1, j) >= at(i, j + 1))) {
      i += 1
      removed += 1
    } else {
      j += 1
      added += 1
    }
  }
  endGap()
  return pairs
}
