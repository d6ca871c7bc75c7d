import { execFile, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { executablePath } from './chromium.js'
import { environmentWithoutVitest } from './project.js'

const execute = promisify(execFile)

/** The versions that an example runs with. */
export interface Versions {
  /** The major version of Node. */
  readonly node: number
  /** The versions of packages, by name. The name `storybook` stands for all of its packages. */
  readonly packages: Readonly<Record<string, string>>
}

/** The result of a program. */
interface Ended {
  readonly code: number | null
  /** Its standard output and standard error. */
  readonly output: string
  /** The processes that it left behind, as lines of `ps`. */
  readonly left: readonly string[]
}

/** An example in a folder of its own. */
export interface ExampleProject {
  /** The scripts of its manifest. */
  readonly scripts: Readonly<Record<string, string>>
  /** Runs a program of the project until it exits. Ends the processes that it leaves behind. */
  run(program: string, ...args: string[]): Promise<Ended>
}

async function pack(folder: string): Promise<string> {
  // Without scripts: a build would replace `dist` while other tests use it.
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]
  const { stdout } = await execute('npm', args)
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }]
  return join(folder, filename)
}

/**
 * Packs the built package, and unpacks it into a new folder: a checkout with the files of the package alone. `.ci/run` has packed it
 * already, and names the file in PACKED.
 */
export async function packPackage(): Promise<{ readonly folder: string; readonly tarball: string; remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'mockmaker-packed-'))
  const tarball = process.env.PACKED ?? (await pack(folder))
  await execute('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1'])
  return { folder, tarball, remove: () => rmSync(folder, { recursive: true }) }
}

/**
 * Copies examples into an unpacked package, puts versions into their manifests, and installs them: several at once, as the
 * workspaces of one project. They find mockmaker as they do in a checkout. They go with the package: for minutes after a folder
 * is removed, ext4 spends more time on each new file than all of npm does.
 */
export async function installExamples(
  names: readonly string[],
  { packed, versions: { node, packages } }: { readonly packed: string; readonly versions: Versions },
): Promise<Record<string, ExampleProject>> {
  const root = mkdtempSync(join(packed, 'examples-'))
  const isWorkspace = names.length > 1
  const env = environment(await programsOf(node))
  const runIn =
    (cwd: string) =>
    (program: string, ...args: string[]) =>
      runProgram(program, args, { cwd, env })
  const projects = names.map(name => {
    const folder = join(root, name)
    cpSync(join('examples', name), folder, { recursive: true, filter: path => basename(path) !== 'node_modules' })
    const manifest = readFileSync(join(folder, 'package.json'), 'utf8')
    writeFileSync(join(folder, 'package.json'), withVersions(manifest, packages, { isPart: isWorkspace }))
    return { name, folder, scripts: (JSON.parse(manifest) as Manifest).scripts, run: runIn(folder) }
  })
  const first = join(root, names[0] ?? '')
  if (isWorkspace) {
    writeFileSync(join(root, 'package.json'), JSON.stringify({ private: true, workspaces: names }))
    cpSync(join(first, '.npmrc'), join(root, '.npmrc'))
  }
  const install = ['install', '--no-audit', '--no-fund', '--prefer-offline']
  const { code, output } = await runIn(isWorkspace ? root : first)('npm', ...install)
  if (code !== 0) throw new Error(`npm install ends with ${code}:\n${output}`)
  if (isWorkspace) for (const { folder, scripts } of projects) linkPackages(scripts, folder)
  return Object.fromEntries(projects.map(({ name, ...project }) => [name, project]))
}

/** Links the packages that scripts name by their path, such as node_modules/jest, into a workspace. They are in the root. */
function linkPackages(scripts: ExampleProject['scripts'], folder: string): void {
  const found = Object.values(scripts).flatMap(script => script.match(/(?<= node_modules\/)[^/ ]+/g) ?? [])
  for (const name of new Set(found)) {
    mkdirSync(join(folder, 'node_modules'), { recursive: true })
    symlinkSync(join('..', '..', 'node_modules', name), join(folder, 'node_modules', name))
  }
}

interface Manifest {
  readonly scripts: ExampleProject['scripts']
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

/** Replaces the versions in the text of a manifest. Throws if the manifest lacks one of the packages, unless it is one of several. */
export function withVersions(text: string, packages: Versions['packages'], { isPart = false } = {}): string {
  const manifest: Manifest = JSON.parse(text)
  const { dependencies, devDependencies } = manifest
  const names = Object.keys({ ...dependencies, ...devDependencies })
  const lost = Object.keys(packages).filter(name => !names.includes(name))
  if (lost.length > 0 && !isPart) throw new Error(`package.json of the example lacks ${lost.join(', ')}`)
  if (devDependencies?.mockmaker !== 'file:../..')
    throw new Error('package.json of the example must have "mockmaker": "file:../.." in its devDependencies')
  const replaced = (versions: Readonly<Record<string, string>> = {}) =>
    Object.fromEntries(Object.entries(versions).map(([name, version]) => [name, packages[familyOf(name)] ?? version]))
  return JSON.stringify({
    ...manifest,
    dependencies: replaced(dependencies),
    devDependencies: replaced(devDependencies),
  })
}

/** The packages of Storybook have the same versions. */
function familyOf(name: string): string {
  return name.startsWith('@storybook/') ? 'storybook' : name
}

const folders = new Map<number, Promise<string>>()

/** Returns the folder with the program `node` of a major version. */
function programsOf(major: number): Promise<string> {
  const isOwn = Number.parseInt(process.versions.node, 10) === major
  const known = folders.get(major)
  if (known) return known
  const found = isOwn
    ? Promise.resolve(dirname(process.execPath))
    : execute('npx', ['-y', `node@${major}`, '-p', 'process.execPath'], { env: environment() }).then(({ stdout }) =>
        dirname(stdout.trim()),
      )
  folders.set(major, found)
  return found
}

/** Returns the environment of an example. `programs` comes first in its path. */
function environment(programs?: string): NodeJS.ProcessEnv {
  const own = environmentWithoutVitest()
  const path = programs === undefined ? own.PATH : `${programs}${delimiter}${own.PATH}`
  const quiet = { CI: 'true', NO_COLOR: '1', NEXT_TELEMETRY_DISABLED: '1', STORYBOOK_DISABLE_TELEMETRY: '1' }
  return { ...own, ...quiet, PATH: path, CHROMIUM: executablePath, PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1' }
}

/** Runs a program in a process group of its own, so that the processes that it leaves behind can be found and ended. */
export async function runProgram(
  program: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<Ended> {
  const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('exit', resolve))
  const left = child.pid === undefined ? [] : await processesIn(child.pid)
  if (left.length > 0) process.kill(-Number(child.pid), 'SIGKILL')
  return { code, output, left }
}

/** Lists the processes of a group that have not exited. */
async function processesIn(group: number): Promise<string[]> {
  const { stdout } = await execute('ps', ['-A', '-o', 'pgid=,pid=,stat=,args='])
  return stdout
    .split('\n')
    .map(line => line.trim())
    .filter(line => line.startsWith(`${group} `) && !/^\d+ +\d+ +Z/.test(line))
}
