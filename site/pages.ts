import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

interface Group {
  readonly text: string
  readonly items: { readonly text: string; readonly link: string }[]
}

/** Returns the address of a page, from its path in the repository: `/guides/faults`. `undefined`: the site does not have it. */
export function addressOf(path: string): string | undefined {
  if (path === 'README.md') return '/'
  if (path === 'CHANGELOG.md') return '/changelog'
  const [, name] = /^docs\/(.*)\.md$/.exec(path) ?? []
  return name && `/${name}`
}

/**
 * Makes the navigation from the lists of docs/README.md. A heading, or a line such as `Play:`, begins a group. Throws if a page of docs/ is
 * in no list.
 */
export function navigation(root: string): Group[] {
  const groups: Group[] = [{ text: 'mockmaker', items: [{ text: 'All pages', link: '/README' }] }]
  const seen = new Set(['/', '/README'])
  for (const line of readFileSync(join(root, 'docs/README.md'), 'utf8').split('\n')) {
    const [, heading, label = heading] = /^## (.+)$|^(\w[^[\]]*):$/.exec(line) ?? []
    if (label !== undefined) groups.push({ text: label, items: [] })
    for (const [, text = '', path = ''] of line.matchAll(/\[([^\]]+)\]\(([^)#]+)[^)]*\)/g)) {
      const link = addressOf(posix.join('docs', path))
      if (link === undefined || seen.has(link)) continue
      seen.add(link)
      groups.at(-1)?.items.push({ text: titleOf(text), link })
    }
  }
  const lost = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .map(file => `docs/${file.replaceAll('\\', '/')}`)
    .filter(path => path.endsWith('.md') && !seen.has(addressOf(path) ?? ''))
  if (lost.length > 0) throw new Error(`docs/README.md does not list ${lost.join(', ')}: add a line for each page`)
  return groups.filter(({ items }) => items.length > 0)
}

/** Writes the text of a link as a title: without backticks, and with a capital. */
function titleOf(text: string): string {
  const plain = text.replaceAll('`', '')
  return plain.charAt(0).toUpperCase() + plain.slice(1)
}

/** Returns the URL of the repository: that of package.json, or the one whose workflow builds the site. */
export function repositoryOf(root: string): string | undefined {
  const { repository }: { repository?: string | { url: string } } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  )
  const url = typeof repository === 'object' ? repository.url : repository
  if (url !== undefined) return url.replaceAll(/^git\+|\.git$/g, '')
  const { GITHUB_SERVER_URL = 'https://github.com', GITHUB_REPOSITORY } = process.env
  return GITHUB_REPOSITORY && `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`
}
