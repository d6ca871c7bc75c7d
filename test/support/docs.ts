import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** A block of code on a page. */
export interface Block {
  readonly language: string
  readonly text: string
  /** The name of a file, from a comment in its first line. */
  readonly file: string | undefined
}

/** README.md, CHANGELOG.md, the skill for agents, or a page of docs/. */
export interface Page {
  /** Relative to the root of the repository: `docs/guides/faults.md`. */
  readonly path: string
  readonly text: string
  readonly blocks: readonly Block[]
}

const inDocs = readdirSync('docs', { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.md'))
  .map(file => `docs/${file.replaceAll('\\', '/')}`)
  .sort()

/** README.md, CHANGELOG.md, the skill for agents and all pages of docs/. */
export const pages: readonly Page[] = ['README.md', 'CHANGELOG.md', ...inDocs].map(path => {
  const text = readFileSync(path, 'utf8')
  return { path, text, blocks: blocksIn(text) }
})

function blocksIn(text: string): Block[] {
  return [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language = '', code = '']) => ({
    language,
    text: code,
    file: /^(?:\/\/|#|;|<!--) (\S+\.\w+)(?: -->)?\n/.exec(code)?.[1],
  }))
}

/** Returns the page with that path. */
export function pageAt(path: string): Page {
  const page = pages.find(one => one.path === path)
  if (!page) throw new Error(`there is no page ${path}`)
  return page
}

/** Returns the file that a block shows, of the examples that its guide explains: those of `vite-and-next.md` are two. */
export function exampleFileOf({ path }: Page, { file }: Block): string | undefined {
  const [, name = ''] = /^docs\/guides\/(.*)\.md$/.exec(path) ?? []
  const files = name.split('-and-').map(example => `examples/${example}/${file}`)
  return files.find(one => existsSync(one))
}

/** Returns the programs of a page by their names. The guide of game servers has the server of all pages. */
export function programsOf({ blocks }: Page): Record<string, string> {
  const server = blockOf('docs/guides/game-servers.md', 'lobby-server.mjs')
  const named = [server, ...blocks].flatMap(({ file, text }) => (file === undefined ? [] : [[file, text]]))
  return Object.fromEntries(named)
}

/** Returns the first block of a page with that file name, or without one. */
export function blockOf(path: string, file: string | undefined): Block {
  const block = pageAt(path).blocks.find(one => one.file === file)
  if (!block) throw new Error(`${path} has no block for ${file}`)
  return block
}

/** Returns all blocks in that language, of all pages. */
export function blocksWith(language: string): { readonly page: Page; readonly block: Block }[] {
  return pages.flatMap(page => page.blocks.filter(block => block.language === language).map(block => ({ page, block })))
}
