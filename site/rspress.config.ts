import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { defineConfig } from '@rspress/core'
import { demos, links } from './markdown.js'
import { navigation, repositoryOf } from './pages.js'

// The folder of the repository. `npm run build` runs in site/.
const root = resolve('..')
/** A draft has no colours of code and is not minified, and takes two thirds of the time. */
const isDraft = process.env.SITE_DRAFT !== undefined

const options = { root, repository: repositoryOf(root) }

export default defineConfig({
  root: join(root, 'docs'),
  base: process.env.SITE_BASE ?? '/',
  outDir: 'dist',
  title: 'mockmaker',
  description: 'A mock matchmaker and game-namespace cloud for your own machine.',
  icon: pathToFileURL(resolve('icon.svg')),
  globalStyles: resolve('styles.css'),
  themeConfig: { sidebar: { '/': navigation(root) } },
  // The front page has its pictures in HTML, for their width on GitHub.
  replaceRules: [{ search: /<img src="(.+?)" alt="(.+?)".*?>/g, replace: '![$2](./$1)' }],
  markdown: {
    // `links` checks them, because some lead out of docs/.
    link: { checkDeadLinks: false, checkAnchors: true },
    remarkPlugins: [
      [links, options],
      [demos, options],
    ],
    globalComponents: [resolve('try.tsx')],
    ...(isDraft && { shiki: { langs: [], lazy: false, fallbackLanguage: 'text' } }),
  },
  builderConfig: {
    output: { minify: !isDraft },
    // A cached page would keep its old demos, and links to headings that are gone.
    performance: { buildCache: false, printFileSize: false },
  },
  plugins: [
    {
      name: 'pages-of-the-root',
      addPages: () => [
        { routePath: '/', filepath: join(root, 'README.md') },
        { routePath: '/changelog', filepath: join(root, 'CHANGELOG.md') },
      ],
    },
  ],
})
