import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { pages } from '../test/support/docs.js'
import { demos } from './demos.js'
import { demos as demosPlugin, links } from './markdown.js'
import { addressOf, navigation, repositoryOf } from './pages.js'

/** Writes a repository to a temporary folder. */
function repositoryWith(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'site-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const [file, text] of Object.entries({ 'package.json': '{}', ...files })) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  return root
}

describe('the navigation', () => {
  it('has each page of the docs once, and the changelog', () => {
    const items = navigation('.').flatMap(group => group.items.map(({ link }) => link))

    expect(items.sort()).toEqual(
      pages
        .map(({ path }) => addressOf(path))
        .filter(link => link !== '/')
        .sort(),
    )
  })

  it('has the groups and the order of docs/README.md', () => {
    const root = repositoryWith({
      'docs/README.md':
        '## Guides\n\nPlay:\n\n1. [Connect](b.md): a game.\n2. [`init`](a.md#files)\n\n## Project\n\n[log](../CHANGELOG.md)',
      'docs/a.md': '',
      'docs/b.md': '',
    })

    expect(navigation(root).slice(1)).toEqual([
      {
        text: 'Play',
        items: [
          { text: 'Connect', link: '/b' },
          { text: 'Init', link: '/a' },
        ],
      },
      { text: 'Project', items: [{ text: 'Log', link: '/changelog' }] },
    ])
  })

  it('fails for a page that docs/README.md does not list', () => {
    const root = repositoryWith({ 'docs/README.md': '[a](a.md)', 'docs/a.md': '', 'docs/guides/b.md': '' })

    expect(() => navigation(root)).toThrow('docs/README.md does not list docs/guides/b.md: add a line for each page')
  })
})

describe('a link', () => {
  /** Returns the link that the site has instead. */
  function linkFor(url: string, repository?: string) {
    const node = { type: 'link', url }
    links({ root: resolve('.'), repository })(
      { type: 'root', children: [node] },
      { path: resolve('docs/performance.md') },
    )
    return node
  }

  it.for([
    ['/guides/faults.html', '/guides/faults.html'],
    ['#top', '#top'],
    ['https://mswjs.io', 'https://mswjs.io'],
    ['../README.md#security', '/#security'],
    ['../src/index.ts', 'https://git.example/a/b/blob/HEAD/src/index.ts'],
    ['../examples/node', 'https://git.example/a/b/tree/HEAD/examples/node'],
  ] as const)('to %s leads to %s', ([url, expected]) => {
    expect(linkFor(url, 'https://git.example/a/b')).toEqual({ type: 'link', url: expected })
  })

  it('out of the site is plain text without a repository', () => {
    expect(linkFor('../src/index.ts')).toMatchObject({ type: 'emphasis', data: { hName: 'span' } })
  })

  it('that leads nowhere fails', () => {
    expect(() => linkFor('gone.md')).toThrow('dead link to gone.md in docs/performance.md')
  })
})

describe('the repository', () => {
  it.for(['"https://git.example/a/b"', '{"type": "git", "url": "git+https://git.example/a/b.git"}'])(
    'is that of package.json: %s',
    repository => {
      const root = repositoryWith({ 'package.json': `{"repository": ${repository}}` })

      expect(repositoryOf(root)).toBe('https://git.example/a/b')
    },
  )
})

describe('a demo', () => {
  const marks = pages.flatMap(({ text }) => [...text.matchAll(/^<!--try:(.*)-->$/gm)].map(([, name]) => name))

  it('is on a page', () => {
    expect([...new Set(marks)].sort()).toEqual(Object.keys(demos).sort())
  })

  it('replaces its comment', () => {
    const node = { type: 'html', value: '<!--try:find-->' }
    demosPlugin({ root: '/', repository: undefined })({ type: 'root', children: [node] }, { path: '/a.md' })

    expect(node).toMatchObject({ type: 'mdxJsxFlowElement', name: 'Try' })
  })

  it('that nobody has written fails', () => {
    const node = { type: 'html', value: '<!--try:nothing-->' }
    const plugin = demosPlugin({ root: '/', repository: undefined })

    expect(() => plugin({ type: 'root', children: [node] }, { path: '/a.md' })).toThrow(
      'there is no demo nothing for a.md: see site/demos.js',
    )
  })
})

describe('the package', () => {
  it('does not contain the site', () => {
    const { files }: { files: readonly string[] } = JSON.parse(readFileSync('package.json', 'utf8'))

    expect(files.filter(file => file.startsWith('site'))).toEqual([])
  })
})
