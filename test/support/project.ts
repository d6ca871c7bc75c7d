import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { chmod, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'

/** A project of a user with this checkout, as built, in its node_modules. */
export interface Project {
  readonly folder: string
  /** Runs a program in the project, and resolves with its standard output. Rejects with all output if it fails. */
  run(program: string, args: readonly string[]): Promise<string>
  remove(): void
}

const installed = [
  'msw',
  'vitest',
  'express',
  'fast-check',
  '@rivet-gg/api',
  '@types/node',
  '@types/express',
  '@playwright/test',
  'playwright',
  'playwright-core',
]

async function writeProgram(path: string, command: string): Promise<void> {
  writeFileSync(path, `#!/bin/sh\n${command}\n`)
  await chmod(path, 0o755)
}

/** Creates a project outside of the checkout. */
export async function createProject(files: Readonly<Record<string, string>>): Promise<Project> {
  const folder = mkdtempSync(join(tmpdir(), 'mockmaker-docs-'))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  await mkdir(join(folder, 'node_modules/.bin'), { recursive: true })
  symlinkSync(resolve('.'), join(folder, 'node_modules/mockmaker'))
  for (const name of installed) {
    await mkdir(dirname(join(folder, 'node_modules', name)), { recursive: true })
    symlinkSync(resolve('node_modules', name), join(folder, 'node_modules', name))
  }
  const programs = join(folder, 'node_modules/.bin')
  await writeProgram(join(programs, 'mockmaker'), `exec "${process.execPath}" "${resolve('dist/cli.js')}" "$@"`)
  // npm takes a second for each `npx`. The checks of the packed package call it.
  await writeProgram(join(programs, 'npx'), 'exec "$@"')
  // Takes the place of the engine: prints the environment of the game.
  await writeProgram(join(programs, 'godot'), 'env | grep ^RIVET_')
  const env = { ...process.env, PATH: `${programs}${delimiter}${process.env.PATH}` }
  return {
    folder,
    async run(program, args) {
      const { stdout } = await promisify(execFile)(program, args, { cwd: folder, env, encoding: 'utf8' }).catch(
        (error: { stdout: string; stderr: string; message: string }) => {
          throw new Error(`${error.message}\n${error.stdout}\n${error.stderr}`)
        },
      )
      return stdout
    },
    remove: () => rmSync(folder, { recursive: true }),
  }
}

/** Variables that vitest and npm set for their processes, and that change how another runner works. */
const ofTests = /^(VITEST.*|NODE_ENV|NODE_OPTIONS|TEST|MODE|DEV|PROD|SSR|BASE_URL|FORCE_COLOR|npm_(?!config_).*)$/

/** Returns the environment of this process, as it was before vitest. */
export function environmentWithoutVitest(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ofTests.test(name)))
}
