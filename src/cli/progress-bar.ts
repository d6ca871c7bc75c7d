import type { Progress } from '../scenario/world-state.js'

/** What a bar is drawn on: standard error, where that is a terminal, which is written to at once. */
interface Terminal {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

/** How long lobbies are made before it shows, and how long it stands still at least, in ms. */
const patienceMs = 300
const frameMs = 50
const widest = 40

/** Draws how many lobbies are made, on a terminal only, and only where that takes a while; leaves the line empty in the end. `now` is in ms. */
export function createProgressBar(terminal: Terminal, now: () => number): Progress {
  if (!terminal.isTTY) return () => {}
  let drawAt = now() + patienceMs
  let drawn = ''
  return (done, total) => {
    const over = done === total
    if (over ? drawn === '' : now() < drawAt) return
    drawAt = now() + frameMs
    const before = drawn
    drawn = over ? '' : lineOf(done / total, { total, columns: terminal.columns ?? 80 })
    // Blanks in the place of the line before: no terminal takes them for anything else.
    terminal.write(`\r${drawn.padEnd(before.length)}${over ? '\r' : ''}`)
  }
}

/** The last column stays free, or some terminals begin a new line. What does not fit is left out. */
function lineOf(part: number, { total, columns }: { readonly total: number; readonly columns: number }): string {
  const text = `${Math.floor(part * 100)}% of ${total.toLocaleString('en')} lobbies`
  const width = Math.min(widest, columns - 1 - text.length - 3)
  const filled = Math.round(part * width)
  const bar = width < 4 ? '' : `[${'#'.repeat(filled)}${'.'.repeat(width - filled)}] `
  return `${bar}${text}`.slice(0, Math.max(columns - 1, 0))
}
