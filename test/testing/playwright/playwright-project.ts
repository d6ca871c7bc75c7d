import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { executablePath } from '../../support/chromium.js'
import { createProject, type Project } from '../../support/project.js'

/** A test in the report of Playwright. */
export interface ReportedTest {
  readonly file: string
  /** The titles of its groups, and its own. */
  readonly title: string
  readonly outcome: 'expected' | 'unexpected' | 'flaky' | 'skipped'
  /** The messages of its last run, without colors. */
  readonly errors: readonly string[]
  readonly attachments: readonly Attachment[]
  readonly annotations: readonly { readonly type: string; readonly description?: string }[]
}

interface Attachment {
  readonly name: string
  readonly contentType: string
  /** Absent if the report holds the text. */
  readonly path?: string
  readonly text: string
}

/** The result of `npx playwright test`. */
export interface Report {
  readonly tests: readonly ReportedTest[]
  /** Errors outside of tests. */
  readonly errors: readonly string[]
  /** The text in the terminal, by the reporter `list`. */
  readonly output: string
}

const folder = 'test/testing/playwright'

/** Creates a project with all files of test/testing/playwright. They import the built package. */
export function createPlaywrightProject(): Promise<Project> {
  const files = readdirSync(folder).filter(name => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  const sources = files.map(name => [
    `e2e/${name}`,
    readFileSync(join(folder, name), 'utf8').replaceAll(
      "'../../../src/testing/playwright/index.js'",
      "'mockmaker/playwright'",
    ),
  ])
  const launchOptions = { executablePath, args: ['--no-sandbox', '--disable-gpu'] }
  const config = {
    testDir: 'e2e',
    testMatch: '**/*.e2e.ts',
    reporter: 'json',
    timeout: 120_000,
    expect: { timeout: 30_000 },
    use: { launchOptions },
  }
  return createProject({
    'package.json': '{ "type": "module" }',
    'playwright.config.mjs': `export default ${JSON.stringify(config)}`,
    ...Object.fromEntries(sources),
  })
}

/** Runs files of a project in one process of Playwright. The attachments stay until the project is removed. */
export async function runPlaywright(
  project: Project,
  files: readonly string[],
  { env = {}, args = [] }: { readonly env?: Readonly<Record<string, string>>; readonly args?: readonly string[] } = {},
): Promise<Report> {
  // Playwright empties its folder before each run.
  const results = mkdtempSync(join(project.folder, 'run-'))
  const report = join(results, 'report.json')
  const settings = Object.entries({ ...env, PLAYWRIGHT_JSON_OUTPUT_NAME: report }).map(pair => pair.join('='))
  const command = [
    'node_modules/@playwright/test/cli.js',
    'test',
    ...files.map(file => `/${file}`),
    '--reporter',
    'list,json',
    '--output',
    join(results, 'attachments'),
    ...args,
  ]
  // It ends with 1 if a test fails.
  const output = await project
    .run('env', [...settings, process.execPath, ...command])
    .catch(({ message }: Error) => message)
  const { suites, errors }: JsonReport = JSON.parse(readFileSync(report, 'utf8'))
  return {
    tests: suites.flatMap(suite => testsIn(suite, { file: suite.title, titles: [] })),
    errors: errors.map(plainMessage),
    output,
  }
}

interface JsonSuite {
  readonly title: string
  readonly suites?: readonly JsonSuite[]
  readonly specs: readonly {
    readonly title: string
    readonly tests: readonly {
      readonly status: ReportedTest['outcome']
      readonly results: readonly {
        readonly errors: readonly JsonError[]
        readonly attachments: readonly (Omit<Attachment, 'text'> & { readonly body?: string })[]
        readonly annotations: ReportedTest['annotations']
      }[]
    }[]
  }[]
}

interface JsonError {
  readonly message?: string
}

interface JsonReport {
  readonly suites: readonly JsonSuite[]
  readonly errors: readonly JsonError[]
}

/** Lists the tests of a group. `titles` are those of the groups in its file. */
function testsIn(
  { suites = [], specs }: JsonSuite,
  { file, titles }: { readonly file: string; readonly titles: readonly string[] },
): ReportedTest[] {
  const own = specs.flatMap(spec =>
    spec.tests.map(({ status, results }) => ({
      file,
      title: [...titles, spec.title].join(' '),
      outcome: status,
      errors: results.at(-1)?.errors.map(plainMessage) ?? [],
      annotations: results.at(-1)?.annotations ?? [],
      attachments: (results.at(-1)?.attachments ?? []).map(({ body = '', ...attachment }) => ({
        ...attachment,
        text:
          attachment.path === undefined
            ? Buffer.from(body, 'base64').toString()
            : readFileSync(attachment.path, 'utf8'),
      })),
    })),
  )
  return [...own, ...suites.flatMap(suite => testsIn(suite, { file, titles: [...titles, suite.title] }))]
}

function plainMessage({ message = '' }: JsonError): string {
  return stripVTControlCharacters(message)
}
