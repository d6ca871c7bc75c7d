import { readFileSync } from 'node:fs'

/** A block of code in README.md. */
export interface Block {
  readonly language: string
  readonly text: string
  /** The file that its first line names in a comment. */
  readonly file: string | undefined
}

/** README.md, as it is. */
export const readme = readFileSync('README.md', 'utf8')

/** The blocks of code in README.md, in order. */
export const blocks: readonly Block[] = [...readme.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(
  ([, language = '', text = '']) => ({ language, text, file: /^\/\/ (\S+\.\w+)\n/.exec(text)?.[1] }),
)

/** The block that names that file. */
export function blockOf(file: string): Block {
  const block = blocks.find(one => one.file === file)
  if (!block) throw new Error(`README.md has no block for ${file}`)
  return block
}
