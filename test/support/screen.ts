/** A part of a terminal's output: an escape code, a control character, or another character. */
const part = new RegExp(`${String.fromCharCode(27)}\\[(?<parameters>[\\d;]*)(?<code>[A-Za-z])|.`, 'gsu')

interface Row {
  text: string
  /** True if the text of the row before continues here. */
  readonly isWrapped: boolean
}

/** What a terminal shows after an output, with the rows that have left the screen. It knows the codes of the command. */
export class Screen {
  readonly #columns: number
  #rows: Row[] = [{ text: '', isWrapped: false }]
  #column = 0

  constructor(columns = 80) {
    this.#columns = columns
  }

  write(output: string): this {
    for (const { 0: text, groups } of output.matchAll(part)) {
      if (groups?.code !== undefined) this.#obey(groups.code, groups.parameters ?? '')
      else if (text === '\n') this.#newRow(false)
      else if (text === '\r') this.#column = 0
      else this.#put(text)
    }
    return this
  }

  /** The lines as they were written: a line that takes several rows is one. */
  lines(): string[] {
    const lines: string[] = []
    for (const { text, isWrapped } of this.#rows) {
      if (isWrapped) lines.push(`${lines.pop()}${text}`)
      else lines.push(text)
    }
    return lines
  }

  #put(character: string): void {
    if (this.#column === this.#columns) this.#newRow(true)
    const row = this.#lastRow()
    row.text = row.text.slice(0, this.#column).padEnd(this.#column) + character + row.text.slice(this.#column + 1)
    this.#column += 1
  }

  /** The cursor is always in the last row. */
  #newRow(isWrapped: boolean): void {
    this.#rows.push({ text: '', isWrapped })
    this.#column = 0
  }

  #obey(code: string, parameters: string): void {
    // Colours and styles take no room.
    if (code === 'm') return
    // The command erases everything from there.
    if (code === 'A') return void this.#rows.splice(-Number(parameters))
    const row = this.#lastRow()
    if (code === 'J' && parameters === '') row.text = row.text.slice(0, this.#column)
    else if (code === 'H' || (code === 'J' && /^[23]$/.test(parameters))) this.#rows = [{ text: '', isWrapped: false }]
    else throw new Error(`the screen does not know the code ${parameters}${code}`)
  }

  #lastRow(): Row {
    return this.#rows.at(-1) as Row // there is always one
  }
}
