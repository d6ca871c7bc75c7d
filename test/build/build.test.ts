import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'
import { describe, expect, it } from 'vitest'
import configs from '../../build/rolldown.config.js'
import manifest from '../../package.json' with { type: 'json' }
import { folder } from '../support/command.js'

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
    const { prestart, pretest, prepack, presite } = manifest.scripts

    for (const script of [prestart, pretest, prepack, presite]) expect(script).toMatch(/^npm run (--silent )?build\b/)
  })
})

describe('the package', () => {
  it('has the files of an example, and nothing that its tools wrote', { tags: ['slow'] }, async () => {
    const cwd = await folder({ 'package.json': JSON.stringify(manifest) })
    const own = ['examples/godot/main.gd', 'examples/phaser/index.html', 'examples/phaser/src/main.ts']
    const written = [
      'examples/godot/.godot/editor/cache.cfg',
      'examples/phaser/dist/index.html',
      'examples/phaser/node_modules/vite/package.json',
      'examples/phaser/test-results/trace.zip',
    ]
    for (const file of [...own, ...written].map(one => join(cwd, one))) {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, '')
    }

    const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], { cwd })

    const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }]
    expect(files.map(({ path }) => path).sort()).toEqual([...own, 'package.json'])
  })
})
