import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { linksOf, sentencesOf, wordsIn } from './prose.js'

const textOf = (file: string) => readFileSync(join('.github', file), 'utf8')

interface Job {
  readonly 'runs-on': string
  readonly container?: string
  readonly strategy?: { readonly matrix: { readonly os: readonly string[] } }
  readonly steps: readonly { readonly run?: string }[]
}

interface Field {
  readonly id?: string
  readonly validations?: { readonly required?: boolean }
}

describe('the workflow of GitHub', () => {
  const { jobs }: { jobs: Readonly<Record<string, Job>> } = parse(textOf('workflows/test.yml'))
  const [all, fast] = ['all', 'fast'].map(name => ({
    systems: jobs[name]?.strategy?.matrix.os ?? [jobs[name]?.['runs-on']],
    commands: jobs[name]?.steps.flatMap(({ run }) => run ?? []),
  }))

  it('runs everything on Linux, in a system that has the packages of the tests', () => {
    expect(all?.systems).toEqual(['ubuntu-latest'])
    expect(all?.commands?.at(-1)).toBe('bash .ci/run')
    expect(jobs.all?.container).toBe('node:20-bookworm')
  })

  it('runs the fast tests on macOS and Windows', () => {
    expect(fast?.systems).toEqual(['macos-latest', 'windows-latest'])
    expect(fast?.commands).toEqual(['npm ci', 'npm test'])
  })
})

describe('the form for a bug', () => {
  it('insists on the version and on an export of the world', () => {
    const { body }: { body: readonly Field[] } = parse(textOf('ISSUE_TEMPLATE/bug.yml'))
    const required = body.filter(({ validations }) => validations?.required).map(({ id }) => id)

    expect(required).toEqual(expect.arrayContaining(['version', 'world']))
  })
})

describe('the security policy', () => {
  const page = { path: '.github/SECURITY.md', text: textOf('SECURITY.md'), blocks: [] }

  it('has links that lead somewhere', () => {
    expect(linksOf(page).filter(target => !existsSync(join('.github', target)))).toEqual([])
  })

  it('has no sentence above 20 words', () => {
    expect(sentencesOf(page).filter(sentence => wordsIn(sentence) > 20)).toEqual([])
  })
})
