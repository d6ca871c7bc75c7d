import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import manifest from '../../package.json' with { type: 'json' }
import { pageAt, pages } from '../support/docs.js'
import { llmsFile } from '../support/llms.js'
import { linksOf } from './prose.js'

const skill = pageAt('docs/skills/mockmaker/SKILL.md')
const llms = { path: llmsFile, text: readFileSync(llmsFile, 'utf8'), blocks: [] }

const isBelow = (file: string, entry: string) => file === entry || file.startsWith(`${entry}/`)

/** Tells whether a file is in the package. npm adds README.md and LICENSE by itself. */
const isPacked = (file: string) =>
  file === 'README.md' ||
  (manifest.files.some(entry => isBelow(file, entry)) && !manifest.files.some(entry => isBelow(`!${file}`, entry)))

// test/docs/docs.test.ts holds its links, its sentences and its commands, as those of every page.
describe('the skill', () => {
  it('has at most 150 lines', () => {
    expect(skill.text.trimEnd().split('\n').length).toBeLessThanOrEqual(150)
  })

  it('says in its head what it is for, in as many characters as agents read', () => {
    const [, head = ''] = /^---\n(.*?)\n---\n/s.exec(skill.text) ?? []
    const { name, description, ...others } = parse(head) as { name: string; description: string }

    expect(name).toBe('mockmaker')
    expect(description).toMatch(/Use it/)
    expect(description.length).toBeLessThanOrEqual(1024)
    expect(others).toEqual({})
  })

  it('links only files of the package', () => {
    const root = new URL('file:///')
    const files = linksOf(skill).map(target => new URL(target, new URL(skill.path, root)).pathname.slice(1))

    expect(files.filter(file => !isPacked(file))).toEqual([])
    expect(files.length).toBeGreaterThan(10)
  })

  it('is in the package, with llms.txt', () => {
    expect([skill.path, llmsFile].filter(file => !isPacked(file))).toEqual([])
  })
})

// test/build/generated.test.ts holds that it is current.
describe('llms.txt', () => {
  it('links every page of the package once, and nothing else', () => {
    const files = linksOf(llms)
      .map(target => target.replace(/#.*/, ''))
      .filter(target => target !== 'README.md')
    // The index is the source of the list.
    const listed = pages.map(({ path }) => path).filter(path => isPacked(path) && !/^(?:docs\/)?README\.md$/.test(path))

    expect(files.sort()).toEqual(listed.sort())
    expect(files.filter(file => !existsSync(file) || !isPacked(file))).toEqual([])
  })

  it('has a title, a summary and sections of links', () => {
    expect(llms.text).toMatch(/^# mockmaker\n\n> .+\n\n/)
    const [, ...sections] = llms.text.split(/^## /m)

    expect(sections.map(section => section.split('\n', 1)[0])).toEqual(['Guides', 'Reference', 'Optional'])
    for (const section of sections) expect(section.trim().split('\n').slice(2).join('\n')).toMatch(/^(- .*\]\(.*\n?)+$/)
  })
})
