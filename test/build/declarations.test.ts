import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { it as base, describe, expect } from 'vitest'
// @ts-expect-error: a script of the build has no types
import { pruneDeclarations as untyped } from '../../build/declarations.js'

const pruneDeclarations: (folder: string, entries: readonly string[]) => string[] = untyped

/** Prunes declarations whose entry point is `index.d.ts`. Returns the packages, and the texts that are left by their files. */
type Prune = (
  files: Readonly<Record<string, string>>,
) => Promise<{ readonly packages: string[]; readonly left: Readonly<Record<string, string>> }>

const it = base.extend<{ prune: Prune }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern
  prune: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'mockmaker-declarations-'))
    await use(async files => {
      for (const [file, text] of Object.entries(files)) {
        await mkdir(dirname(join(folder, file)), { recursive: true })
        writeFileSync(join(folder, file), text)
      }
      const packages = pruneDeclarations(folder, ['index.d.ts'])
      const left = Object.keys(files).filter(file => existsSync(join(folder, file)))
      return { packages, left: Object.fromEntries(left.map(file => [file, readFileSync(join(folder, file), 'utf8')])) }
    })
    rmSync(folder, { recursive: true })
  },
})

describe('the declarations of the package', () => {
  it('keep what an entry point exports, with its comment, and what that refers to', async ({ prune }) => {
    const { left } = await prune({
      'index.d.ts': "export { type Mock } from './mock.js';\n",
      'mock.d.ts':
        "import type { World, Unused } from './world.js';\n/** A mock. */\nexport interface Mock {\n    world: World;\n}\nexport interface Internal {\n    unused: Unused;\n}\n",
      'world.d.ts': 'export interface World {\n}\nexport interface Unused {\n}\n',
    })

    expect(left).toEqual({
      'index.d.ts': "export { type Mock } from './mock.js';\n",
      'mock.d.ts':
        "import type { World } from './world.js';\n/** A mock. */\nexport interface Mock {\n    world: World;\n}\n",
      'world.d.ts': 'export interface World {\n}\n',
    })
  })

  it('lose files, and packages, that nothing else needs', async ({ prune }) => {
    const { packages, left } = await prune({
      'index.d.ts':
        "import type { HttpHandler } from 'msw';\nimport type { ZodType } from 'zod';\nexport declare const handlers: HttpHandler[];\ndeclare const schema: ZodType;\n",
      'schema.d.ts': "import * as z from 'zod';\nexport declare const Schema: z.ZodType;\n",
    })

    expect(packages).toEqual(['msw'])
    expect(left).toEqual({
      'index.d.ts': "import type { HttpHandler } from 'msw';\nexport declare const handlers: HttpHandler[];\n",
    })
  })

  it('tell a type from a value of the same name', async ({ prune }) => {
    const { packages, left } = await prune({
      'index.d.ts': "export type { Lobby } from './lobby.js';\n",
      'lobby.d.ts':
        "import * as z from 'zod';\nexport declare const Lobby: z.ZodType;\nexport interface Lobby {\n    id: string;\n}\n",
    })

    expect(packages).toEqual([])
    expect(left['lobby.d.ts']).toBe('export interface Lobby {\n    id: string;\n}\n')
  })

  it('keep all of a module that is exported whole, and one name of a namespace', async ({ prune }) => {
    const { left } = await prune({
      'index.d.ts':
        "export type * from './rows.js';\nimport type * as types from './more.js';\nexport declare function get(): types.One;\n",
      'rows.d.ts': 'export interface A {\n}\nexport type B = A[];\ninterface C {\n}\n',
      'more.d.ts': 'export interface One {\n}\nexport interface Other {\n}\n',
    })

    expect(left['rows.d.ts']).toBe('export interface A {\n}\nexport type B = A[];\n')
    expect(left['more.d.ts']).toBe('export interface One {\n}\n')
  })

  it('follow a chain of new names, base types, typeof and import types', async ({ prune }) => {
    const { left } = await prune({
      'index.d.ts': "export { inner as outer } from './one.js';\n",
      'one.d.ts':
        "import { Base as Root } from './two.js';\nexport declare class inner extends Root {\n    of: typeof table;\n    at: import('./two.js').Place;\n}\ndeclare const table: Row;\ninterface Row {\n}\n",
      'two.d.ts': 'export declare class Base {\n}\nexport interface Place {\n}\nexport interface Gone {\n}\n',
    })

    expect(left['one.d.ts']).toContain('interface Row')
    expect(left['one.d.ts']).toContain("import { Base as Root } from './two.js';")
    expect(left['two.d.ts']).toBe('export declare class Base {\n}\nexport interface Place {\n}\n')
  })

  it('keep an augmentation of a module that is reached, and of no other', async ({ prune }) => {
    const { left } = await prune({
      'index.d.ts': "export type { Matchers } from './matchers.js';\n",
      'matchers.d.ts':
        "import 'vitest';\nexport interface Matchers {\n}\ndeclare module 'vitest' {\n    interface Assertion extends Matchers {\n    }\n}\n",
      'other.d.ts': "declare module 'other' {\n    interface X {\n    }\n}\nexport interface Y {\n}\n",
    })

    expect(left['matchers.d.ts']).toContain("declare module 'vitest'")
    expect(left['matchers.d.ts']).toContain("import 'vitest';")
    expect(left).not.toHaveProperty(['other.d.ts'])
  })

  it('leave an entry point without types as an empty module', async ({ prune }) => {
    expect((await prune({ 'index.d.ts': 'declare const internal: 1;\n' })).left).toEqual({
      'index.d.ts': 'export {};\n',
    })
  })

  it('must not name a file that does not exist', async ({ prune }) => {
    await expect(prune({ 'index.d.ts': "export type { Mock } from './mock.js';\n" })).rejects.toThrow(
      /mock\.d\.ts does not exist/,
    )
  })

  it('must not have a statement that the build does not know', async ({ prune }) => {
    await expect(prune({ 'index.d.ts': 'declare enum Color {\n    red\n}\n' })).rejects.toThrow(
      /index\.d\.ts: TSEnumDeclaration is unknown here/,
    )
  })
})
