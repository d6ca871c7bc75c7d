import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { staticDirs } from '../../../src/testing/storybook/preset.js'

describe('the preset of the addon', () => {
  it('serves the worker of the installed MSW, besides the folders of the project', () => {
    const [worker, ...others] = staticDirs(['public'], { configDir: join(process.cwd(), '.storybook') })

    expect(others).toEqual(['public'])
    if (worker === undefined || typeof worker === 'string') throw new Error('no worker')
    expect(worker.to).toBe('/mockServiceWorker.js')
    expect(readFileSync(worker.from, 'utf8')).toContain('Mock Service Worker')
  })
})
