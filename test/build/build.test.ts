import { rolldown } from 'rolldown'
import { describe, expect, it } from 'vitest'
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
