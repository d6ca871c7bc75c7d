import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { readFile, symlink, truncate, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { init } from '../../src/cli/init.js'
import { scenarioFile } from '../../src/core/lib/messages.js'
import { version } from '../../src/version.js'
import { file, folder } from '../support/command.js'
import { recordingConsole } from '../support/console.js'
import { runHere } from '../support/run-here.js'

const right = 'title: Right\ngame_modes: [duel]\n'
const wrong = 'title: Wrong\ngame_modes: [duel]\nlobbies:\n  - { game_mode_id: duel, region_id: lnd-frA }\n'

describe('mockmaker [scenario]', () => {
  it('is refused with file, line, column, mistake and suggestion', async () => {
    const path = await file('wrong.yaml', wrong)

    const { code, stdout, stderr } = await runHere([path, '--port', '0'])

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    const [line, source, caret] = stderr.split('\n')
    expect(line).toMatch(/^\S+wrong\.yaml:4:38: lobbies\[0\]\.region_id is "lnd-frA".*Did you mean lnd-fra\?$/)
    expect(source).toBe('   4 |   - { game_mode_id: duel, region_id: lnd-frA }')
    expect(caret).toBe(`     | ${' '.repeat(37)}^`)
  })

  it('is refused if it does not exist, with all known names', async () => {
    const { code, stderr } = await runHere(['friday-nigth'])

    expect(code).toBe(1)
    expect(stderr).toBe(
      'there is no scenario file friday-nigth, and no shipped scenario has that name. Known: default, empty, friday-night, launch-day, ghost-town, party, region-down, server-crash, night-shift, tokens-only, nasty. Did you mean friday-night?\nmockmaker --help lists the options\n',
    )
  })

  it('is refused if it is a folder', async () => {
    const path = await folder()

    const { code, stderr } = await runHere([path])

    expect(code).toBe(1)
    expect(stderr).toBe(`${path} is a folder: name a scenario file in it, such as ${path}/${scenarioFile}\n`)
  })

  it.for([500_000_001, 3 * 1024 ** 3])('is refused if it has %i bytes', async size => {
    const path = await file('huge.yaml', '')
    await truncate(path, size)

    const { code, stderr } = await runHere([path])

    expect([code, stderr]).toEqual([
      1,
      `${path} is too large to read: it can have 500 MB. Leave out its journal or some of its rows, or the older past of a capsule (--last)\n`,
    ])
  })

  it('is refused if it is a socket', async () => {
    const path = join(await folder(), 'socket')
    const server = createServer().listen(path)
    onTestFinished(() => void server.close())

    const { code, stderr } = await runHere([path])

    expect([code, stderr]).toEqual([1, `${path} is no regular file: copy its contents to a file, and name that one\n`])
  })

  it.runIf(existsSync('/dev/zero')).for([[[]], [['show']], [['validate']]] as const)(
    'is refused if it is a device, which never ends: %j',
    async ([command]) => {
      const { code, stderr } = await runHere([...command, '/dev/zero'])

      expect(code).toBe(1)
      expect(stderr).toContain('/dev/zero is no regular file: copy its contents to a file, and name that one')
    },
  )

  it('is refused if it is not text', async () => {
    const path = await file(
      'image.png',
      Uint8Array.from({ length: 2_000 }, (_, i) => (i * 37) % 256),
    )

    const { code, stderr } = await runHere([path])

    expect(code).toBe(1)
    expect(stderr).toBe(`${path} is not UTF-8 text: a scenario is YAML or JSON\n`)
    expect(stderr).not.toMatch(/\n +at /)
  })
})

describe('mockmaker validate', () => {
  it('prints a line for each valid file', async () => {
    const [one, two] = await Promise.all([file('one.yaml', right), file('two.json', '{"title": "Two"}')])

    expect(await runHere(['validate', one, two])).toEqual({ code: 0, stdout: `${one}: ok\n${two}: ok\n`, stderr: '' })
  })

  it('checks all files, and ends with 1 if any is wrong', async () => {
    const [bad, good, nowhere] = [await file('bad.yaml', wrong), await file('good.yaml', right), await folder()]

    const { code, stdout, stderr } = await runHere(['validate', bad, nowhere, 'lost.yaml', good])

    expect({ code, stdout }).toEqual({ code: 1, stdout: `${good}: ok\n` })
    const told = [/bad\.yaml:4:\d+: /, /is a folder/, /no scenario file lost\.yaml/]
    expect(told.filter(one => !one.test(stderr))).toEqual([])
  })

  it('accepts the shipped scenarios', async () => {
    expect(await runHere(['validate', 'default', 'fixtures/nasty.yaml'])).toMatchObject({ code: 0, stderr: '' })
  })
})

describe('mockmaker init', () => {
  it.for([scenarioFile, 'scenario.schema.json'])('refuses to overwrite %s, and then writes nothing', async name => {
    const cwd = await folder()
    await writeFile(join(cwd, name), 'mine')

    const { code, stdout, stderr } = await runHere(['init', cwd])

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toBe(`${join(cwd, name)} already exists: move it, or name another folder\n`)
    expect(await readFile(join(cwd, name), 'utf8')).toBe('mine')
    const other = name === scenarioFile ? 'scenario.schema.json' : scenarioFile
    await expect(readFile(join(cwd, other))).rejects.toThrow('ENOENT')
  })

  it('does not follow a symbolic link that leads nowhere', async () => {
    const cwd = await folder()
    await symlink('elsewhere.yaml', join(cwd, scenarioFile))

    expect((await runHere(['init', cwd])).code).toBe(1)

    await expect(readFile(join(cwd, 'elsewhere.yaml'))).rejects.toThrow('ENOENT')
  })

  it('is refused if the folder is a file', async () => {
    const cwd = await folder({ 'deep/file': '' })
    const path = join(cwd, 'deep/file/world')

    const { code, stderr } = await runHere(['init', path])

    expect(code).toBe(1)
    expect(stderr).toBe(`cannot write into ${path}: part of the path is not a folder\n`)
  })

  it.runIf(existsSync('/proc'))('is refused below a folder that takes no folders', async () => {
    const { code, stderr } = await runHere(['init', '/proc/x/y'])

    expect([code, stderr]).toEqual([1, 'cannot write into /proc/x/y: it does not exist\n'])
  })

  it('makes the folders above it', async () => {
    const path = join(await folder(), 'a/b')

    expect((await runHere(['init', path])).code).toBe(0)

    expect(await readFile(join(path, scenarioFile), 'utf8')).toContain('title')
  })

  it.for([
    ['phaser', 'open the address that it prints in two windows, and press Play in both'],
    ['godot', 'open project.godot in Godot 4, and run it'],
  ] as const)('writes the files of the example %s', async ([name, then]) => {
    const root = `examples/${name}`
    const path = join(await folder(), 'game')

    const { code, stdout } = await runHere(['init', `--${name}`, path])

    const example = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
      file => !/node_modules|test-results|^dist|\.npmrc|lock/.test(file),
    )
    const written = readdirSync(path, { recursive: true, encoding: 'utf8' })
    expect(code).toBe(0)
    expect(stdout).toMatch(new RegExp(`\\nnext:\n {2}cd ${path}\n {2}npm install\n {2}npm run dev\nthen: ${then}\n$`))
    expect(written.sort()).toEqual([...example, '.npmrc'].sort())
    const textOf = (at: string, file: string) => readFileSync(join(at, file), 'utf8')
    for (const file of example)
      if (file !== 'package.json' && statSync(join(path, file)).isFile())
        expect(textOf(path, file)).toBe(textOf(root, file))
    const { '//': _, ...manifest } = JSON.parse(textOf(root, 'package.json'))
    expect(JSON.parse(textOf(path, 'package.json'))).toEqual({
      ...manifest,
      name: 'game',
      devDependencies: { ...manifest.devDependencies, mockmaker: `file:${process.cwd()}` },
    })
    expect(textOf(path, '.npmrc')).toContain('install-links=true')
    expect(textOf(path, scenarioFile)).toMatch(
      /^# yaml-language-server: \$schema=\.\/node_modules\/mockmaker\/fixtures\/scenario\.schema\.json\n/,
    )
    expect(textOf(path, 'README.md').split('\n').length).toBeLessThanOrEqual(11)
  })

  const lockOf = (resolved: string) => ({
    'app/node_modules/.package-lock.json': JSON.stringify({ packages: { 'node_modules/mockmaker': { resolved } } }),
  })
  const manifestOf = (mockmaker: string) => ({
    'app/package.json': JSON.stringify({ devDependencies: { mockmaker } }),
  })
  const npmRoot = 'app/node_modules/mockmaker'
  const pnpmRoot = 'app/node_modules/.pnpm/mockmaker@1/node_modules/mockmaker'
  it.for([
    ['npm, from a registry', npmRoot, lockOf('https://registry.example/mockmaker.tgz'), `^${version}`],
    ['npm, from a packed file', npmRoot, lockOf('file:../mockmaker.tgz'), 'file:<folder>/mockmaker.tgz'],
    ['npm, from a packed file that is gone', npmRoot, lockOf('file:../gone.tgz'), `file:<folder>/${npmRoot}`],
    ['pnpm, from a registry', pnpmRoot, manifestOf('^1.0.0'), `^${version}`],
    ['pnpm, from a packed file', pnpmRoot, manifestOf('file:../mockmaker.tgz'), 'file:<folder>/mockmaker.tgz'],
    ['a package manager without a manifest', npmRoot, {}, `^${version}`],
  ] as const)('writes a game that npm can install, if it was installed by %s', async ([, at, files, expected]) => {
    const cwd = await folder({ 'mockmaker.tgz': '', [`${at}/examples/godot/package.json`]: '{}', ...files })

    init(join(cwd, 'game'), {
      packageRoot: pathToFileURL(`${join(cwd, at)}/`),
      example: 'godot',
      console: recordingConsole().console,
    })

    const { devDependencies } = JSON.parse(readFileSync(join(cwd, 'game/package.json'), 'utf8'))
    expect(devDependencies.mockmaker).toBe(expected.replace('<folder>', cwd))
    expect(existsSync(join(cwd, 'game/.npmrc'))).toBe(expected.includes('node_modules'))
  })

  it('writes one game at a time', async () => {
    const { code, stderr } = await runHere(['init', '--phaser', '--godot'])

    expect(code).toBe(2)
    expect(stderr).toContain('error: use either --phaser or --godot')
  })

  it('names a few of the files that it would overwrite, and writes nothing', async () => {
    const path = await folder()
    for (const name of ['README.md', 'index.html', 'package.json', scenarioFile])
      await writeFile(join(path, name), 'mine')

    const { code, stderr } = await runHere(['init', '--phaser', path])

    const named = ['README.md', 'index.html', 'package.json'].map(name => join(path, name)).join(', ')
    expect([code, stderr]).toEqual([1, `${named} and 1 other already exist: move them, or name another folder\n`])
    expect(readdirSync(path)).toHaveLength(4)
  })
})
