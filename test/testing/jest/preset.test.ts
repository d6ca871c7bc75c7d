import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { runInThisContext } from 'node:vm'
import type { JestExpect } from '@jest/expect'
import type { TransformOptions } from '@jest/transform'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type * as index from '../../../src/index.js'
import type * as http from '../../../src/server/http/index.js'
import preset from '../../../src/testing/jest/index.js'
import transformer from '../../../src/testing/jest/transform.js'

/** Transforms a module as Jest does, with or without ES modules. */
function transformed(source: string, { supportsStaticESM }: { readonly supportsStaticESM: boolean }): string {
  const options = { supportsStaticESM, configString: '' } as TransformOptions // it reads no other option
  return transformer.process(source, '/project/lobbies.js', options).code
}

/** Runs CommonJS code of a file, and returns its exports. */
function exportsOf(code: string, file = '/project/lobbies.js'): Record<string, unknown> {
  const module = { exports: {} }
  const load = runInThisContext(`(module, exports, require, __filename) => {${code}\n}`)
  load(module, module.exports, createRequire(existsSync(file) ? file : import.meta.url), file)
  return module.exports
}

describe('the transformer of the preset', () => {
  const source = `
    import { join } from 'node:path'
    export const url = import.meta.url
    export class Lobby { #id = join('a', 'b'); get id() { return this.#id } static { this.made = true } }
    export default function () { return import('node:path') }
  `.replaceAll(/^ {4}/gm, '')

  it('turns ES modules into CommonJS', async () => {
    const { url, Lobby, default: load } = exportsOf(transformed(source, { supportsStaticESM: false }))

    expect(url).toBe('file:///project/lobbies.js')
    expect(new (Lobby as new () => object)()).toMatchObject({ id: 'a/b' })
    expect(await (load as () => unknown)()).toHaveProperty('join')
  })

  it.for(['const one=1;export{one};', 'function one(){}export{one};', 'function*one(){if(yield,1)return}export{one};'])(
    'turns the minified module %s into CommonJS',
    source => {
      expect(exportsOf(transformed(source, { supportsStaticESM: false }))).toHaveProperty('one')
    },
  )

  it('reads every module that the entry points share', () => {
    const chunks = readdirSync('dist/chunks').filter(file => file.endsWith('.js'))

    for (const file of chunks) {
      const source = readFileSync(join('dist/chunks', file), 'utf8')
      expect(() => transformed(source, { supportsStaticESM: false }), file).not.toThrow()
    }
    expect(chunks.length).toBeGreaterThan(0)
  })

  it('lets createApp load the Express of the project', () => {
    const file = resolve('dist/server/http/index.js')
    const code = transformed(readFileSync(file, 'utf8'), { supportsStaticESM: false })
    const { createApp } = exportsOf(code, file) as Pick<typeof http, 'createApp'>
    const { createMockmaker } = createRequire(file)('../../index.js') as typeof index

    expect(createApp(createMockmaker())).toHaveProperty('use')
  })

  it('leaves modules as they are if Jest runs with ES modules', () => {
    expect(transformed(source, { supportsStaticESM: true })).toBe(source)
  })

  it('leaves CommonJS as it is', () => {
    const commonjs = "'use strict'\nexports.text = `the import of modules`\nconst imported = 1\n"

    expect(transformed(commonjs, { supportsStaticESM: false })).toBe(commonjs)
  })

  it('has a cache for each of both', () => {
    const keys = [true, false].map(
      supportsStaticESM =>
        transformer.getCacheKey?.(source, 'a.js', { supportsStaticESM, configString: '' } as TransformOptions), // see above
    )

    expect(new Set(keys).size).toBe(2)
  })
})

describe('the preset', () => {
  const isIgnored = (path: string) => preset.transformIgnorePatterns.some(pattern => new RegExp(pattern).test(path))
  const transformOf = (path: string) =>
    Object.entries(preset.transform).find(([pattern]) => new RegExp(pattern).test(path))?.[1]

  it.for([
    '/project/node_modules/mockmaker/dist/msw/node.js',
    '/project/node_modules/.pnpm/mockmaker@0.1.0_msw@2.15.0/node_modules/mockmaker/dist/chunks/mock-x1.js',
    '/project/node_modules/msw/node_modules/rettime/build/index.mjs',
    'C:\\project\\node_modules\\@open-draft\\deferred-promise\\build\\index.mjs',
  ])('transforms the module %s', path => {
    expect(isIgnored(path)).toBe(false)
    expect(transformOf(path)).toMatch(/jest[/\\]transform\.js$/)
  })

  it.for([
    '/project/node_modules/express/index.js',
    '/project/node_modules/mockmaker/node_modules/express/index.js',
    '/project/node_modules/.pnpm/express@5.0.0/node_modules/express/index.js',
  ])('leaves %s to Node', path => {
    expect(isIgnored(path)).toBe(true)
  })

  it("transforms the project's own files as Jest does by default", () => {
    expect(transformOf('/project/src/lobbies.ts')).toBe('babel-jest')
  })

  it('names files that the build writes', () => {
    const files = [...preset.setupFiles, ...preset.setupFilesAfterEnv, ...Object.values(preset.transform)]
    const names = files.filter(file => file !== 'babel-jest').map(file => file.replace(/^.*src\//, 'dist/'))

    expect(names).toHaveLength(3)
    expect(names.filter(name => !existsSync(name))).toEqual([])
  })

  it('gives `expect` of @jest/globals and of @types/jest the matchers', () => {
    type Matchers = ReturnType<JestExpect>

    expectTypeOf<Parameters<Matchers['toHaveAnswered']>[0]>().toExtend<string>()
    expectTypeOf<ReturnType<Matchers['toHaveAnswered']>>().toEqualTypeOf<void>()
    expectTypeOf<ReturnType<jest.Matchers<Promise<void>>['toHaveAnswered']>>().toEqualTypeOf<Promise<void>>()
  })
})
