import { rolldown } from 'rolldown'
import { describe, expect, it } from 'vitest'
import configs from '../../build/rolldown.config.js'

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
})
