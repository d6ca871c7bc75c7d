import { Fragment } from 'preact'
import { compareLines, type LinePair } from './line-differences.js'

/** The lines before and after a difference that are shown. */
const context = 3

interface ComparisonProps {
  readonly label: string
  /** The text, and its name. */
  readonly old: readonly [name: string, text: string]
  readonly changed: readonly [name: string, text: string]
}

/** Two texts side by side. Lines that differ are marked, and equal lines far from them are left out. */
export function Comparison({ label, old, changed }: ComparisonProps) {
  const pairs = compareLines(old[1], changed[1])
  const isNear = pairs.map((_, i) => pairs.slice(Math.max(0, i - context), i + context + 1).some(differs))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
    <section class="compared" aria-label={label} tabIndex={0}>
      <b>{old[0]}</b>
      <b>{changed[0]}</b>
      {pairs.map((pair, i) => {
        if (!isNear[i]) return (i === 0 || isNear[i - 1]) && <small key={i}>…</small>
        const { old, changed } = pair
        const isSame = !differs(pair)
        return (
          <Fragment key={i}>
            {isSame || old === undefined ? <span>{old}</span> : <del>{old}</del>}
            {isSame || changed === undefined ? <span>{changed}</span> : <ins>{changed}</ins>}
          </Fragment>
        )
      })}
    </section>
  )
}

function differs({ old, changed }: LinePair): boolean {
  return old !== changed
}
