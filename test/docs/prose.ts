import type { Page } from '../support/docs.js'

/** Returns the sentences in the paragraphs, lists and tables of a page, without code. A list of names counts as one word. */
export function sentencesOf({ text }: Page): string[] {
  return text
    .replace(/<!--.*?-->/gs, '')
    .replace(/^```.*?^```$/gms, '')
    .replace(/`[^`\n]+`(?:, `[^`\n]+`)*/g, 'code')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .split(/\n+|\|/)
    .map(line => line.replace(/^\s*(?:[-#>]+|\d+\.)\s+/, '').replace(/\*\*/g, ''))
    .flatMap(line => line.split(/(?<=[.!?])\s+/))
    .map(sentence => sentence.trim())
    .filter(sentence => sentence !== '')
}

/** Counts the words of a sentence. */
export function wordsIn(sentence: string): number {
  return sentence.split(/\s+/).filter(word => /\w/.test(word)).length
}

/** Returns the anchors of a page, as GitHub derives them from headings. */
export function anchorsOf({ text }: Page): string[] {
  const prose = text.replace(/^```.*?^```$/gms, '')
  return [...prose.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

/** Returns the targets of the links of a page. */
export function linksOf({ text }: Page): string[] {
  const prose = text.replace(/^```.*?^```$/gms, '').replace(/`[^`\n]+`/g, 'code')
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
}
