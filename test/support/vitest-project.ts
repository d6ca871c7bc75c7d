import { execFile } from 'node:child_process'
import { cpSync, existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { createProject, environmentWithoutVitest } from './project.js'

/** The result of a run of vitest. */
export interface VitestRun {
  readonly code: number
  /** Standard output and standard error. */
  readonly output: string
  /** The states of the tests by their full names. */
  readonly states: Readonly<Record<string, string>>
}

/** A project with vitest, and with a copy of the built package. */
export interface VitestProject {
  readonly folder: string
  /** Runs vitest in the project, with a program before it if one is given. */
  run(args?: readonly string[], before?: readonly string[]): Promise<VitestRun>
  read(file: string): string
  remove(): void
}

const installed = ['jsdom', 'happy-dom', 'storybook', '@vitest/browser-playwright']

/** Creates a project outside of the checkout. A copy, because vitest treats a linked package like the sources of the project. */
export async function createVitestProject(files: Readonly<Record<string, string>>): Promise<VitestProject> {
  const { folder, remove } = await createProject({ 'package.json': '{ "type": "module" }', ...files })
  const own = join(folder, 'node_modules/mockmaker')
  rmSync(own)
  cpSync('dist', join(own, 'dist'), { recursive: true })
  cpSync('package.json', join(own, 'package.json'))
  for (const name of installed) {
    await mkdir(dirname(join(folder, 'node_modules', name)), { recursive: true })
    symlinkSync(resolve('node_modules', name), join(folder, 'node_modules', name))
  }
  const env = { ...environmentWithoutVitest(), NO_COLOR: '1', CI: 'true' }
  return {
    folder,
    remove,
    read: file => readFileSync(join(folder, file), 'utf8'),
    async run(args = [], before = []) {
      const report = join(folder, 'report.json')
      rmSync(report, { force: true })
      const [program = '', ...all] = [
        ...before,
        process.execPath,
        'node_modules/vitest/vitest.mjs',
        // A busy machine needs more than the 5 s of a test.
        ...['run', '--testTimeout=120000', '--hookTimeout=120000'],
        ...['--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...args],
      ]
      const { code, output } = await new Promise<{ code: number; output: string }>(done =>
        execFile(program, all, { cwd: folder, env, encoding: 'utf8', maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
          done({ code: error ? Number(error.code) : 0, output: `${stdout}\n${stderr}` }),
        ),
      )
      if (!existsSync(report)) throw new Error(`vitest wrote no report:\n${output}`)
      return { code, output, states: readStates(report) }
    },
  }
}

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[]
  }[]
}

function readStates(file: string): Record<string, string> {
  const { testResults }: Report = JSON.parse(readFileSync(file, 'utf8'))
  const all = testResults.flatMap(({ assertionResults }) => assertionResults)
  return Object.fromEntries(all.map(({ fullName, status }) => [fullName, status]))
}
