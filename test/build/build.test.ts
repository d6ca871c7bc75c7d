import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'
import { describe, expect, it, onTestFinished } from 'vitest'
import configs from '../../build/rolldown.config.js'
import manifest from '../../package.json' with { type: 'json' }

describe('the build', () => {
  it.for(configs.map(config => [Object.keys(config.input ?? {}).join(', '), config] as const))(
    'of %s fails on a warning',
    async ([, config]) => {
      const entry = {
        name: 'entry',
        resolveId: (id: string) => (id === 'entry' ? id : null),
        load: (id: string) => (id === 'entry' ? "import 'no-such-library'" : null),
      }
      const bundle = await rolldown({ ...config, input: 'entry', plugins: [entry] })

      await expect(bundle.generate()).rejects.toThrow("Could not resolve 'no-such-library'")
      await bundle.close()
    },
  )

  it('comes before all that needs it', () => {
    const { prestart, pretest, prepack } = manifest.scripts

    for (const script of [prestart, pretest, prepack]) expect(script).toMatch(/^npm run (--silent )?build\b/)
  })
})

describe('the package', () => {
  it('has the files of an example, and nothing that its tools wrote', { tags: ['slow'] }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mockmaker-pack-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    cpSync('package.json', join(folder, 'package.json'))
    const own = ['examples/godot/main.gd', 'examples/phaser/index.html', 'examples/phaser/src/main.ts']
    const written = [
      'examples/godot/.godot/editor/cache.cfg',
      'examples/phaser/dist/index.html',
      'examples/phaser/node_modules/vite/package.json',
      'examples/phaser/test-results/trace.zip',
    ]
    for (const file of [...own, ...written].map(one => join(folder, one))) {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, '')
    }

    const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], {
      cwd: folder,
    })

    const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }]
    expect(files.map(({ path }) => path).sort()).toEqual([...own, 'package.json'])
  })
})
