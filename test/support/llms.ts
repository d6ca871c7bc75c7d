import { dirname, join, normalize } from 'node:path'
import { pageAt } from './docs.js'

/** The list of pages for language models, which `npm run generate` writes. The form is that of llmstxt.org. */
export const llmsFile = 'llms.txt'

/** The section of docs/README.md that `llms.txt` names Optional: a reader with little room leaves it out. */
const optional = 'The project'

/**
 * Writes `llms.txt` from README.md and docs/README.md: their first sentences, and each list of links. Links are relative to the
 * root of the package. Lines about folders that the package does not have are left out.
 */
export function llmsText(): string {
  const [, summary = ''] = /^# .*\n\n(.*)$/m.exec(pageAt('README.md').text) ?? []
  const [, ...sections] = pageAt('docs/README.md').text.split(/^## /m)
  const parts = sections.map(section => {
    const title = section.slice(0, section.indexOf('\n'))
    const items = section
      .split('\n')
      .filter(line => /^(?:-|\d+\.) /.test(line) && line.includes(']('))
      .map(line =>
        line.replace(/^\d+\./, '-').replaceAll(/\]\(([^)]+)\)/g, (_, target: string) => `](${inRoot(target)})`),
      )
      .filter(line => !/\]\((?:examples|docs\/decisions)\//.test(line))
    return { title: title === optional ? 'Optional' : title, items }
  })
  return [
    '# mockmaker',
    `> ${summary}`,
    'The package has these pages. An agent that builds a game begins with [the skill](docs/skills/mockmaker/SKILL.md).',
    ...parts.flatMap(({ title, items }) => (items.length === 0 ? [] : [`## ${title}`, items.join('\n')])),
  ]
    .join('\n\n')
    .concat('\n')
}

/** Turns a link of docs/README.md into one from the root. */
function inRoot(target: string): string {
  return /^\w+:/.test(target) ? target : normalize(join(dirname('docs/README.md'), target)).replaceAll('\\', '/')
}
