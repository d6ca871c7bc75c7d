// Imports entry points beside peers that lack all that has come later.
import assert from 'node:assert/strict'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'

const modules = 'too-old/node_modules'

/** Each peer with its modules and what these export. */
const peers = {
  vitest: { '.': 'afterAll, beforeAll, beforeEach, expect, test' },
  msw: { '.': 'rest', './node': 'setupServer' },
  'fast-check': { '.': '__version' },
  '@playwright/test': { '.': 'test, expect' },
}

cpSync('../node_modules/mockmaker', `${modules}/mockmaker`, { recursive: true })
for (const [name, exported] of Object.entries(peers)) {
  mkdirSync(`${modules}/${name}`, { recursive: true })
  const exports = { './package.json': './package.json' }
  for (const [path, names] of Object.entries(exported)) {
    const file = `./${path.replace(/\W+/, '') || 'index'}.js`
    exports[path] = file
    const values = names.split(', ').map(one => `export const ${one} = ${one === '__version' ? "'0.1.0'" : 'stub'}\n`)
    const stub = 'const stub = Object.assign(() => ({ boundary() {} }), { extend: () => undefined })\n'
    writeFileSync(`${modules}/${name}/${file}`, stub + values.join(''))
  }
  const manifest = { name, version: '0.1.0', type: 'module', exports }
  writeFileSync(`${modules}/${name}/package.json`, JSON.stringify(manifest))
}
process.chdir('too-old')
writeFileSync('messages.js', 'export const load = (name) => import(name)\n')
const { load } = await import('./too-old/messages.js')

/** What each entry point says. */
const uses = {
  'mockmaker/vitest': [
    () => {},
    /^mockmaker\/vitest needs vitest \d+\.\d+\.\d+ or newer, and 0\.1\.0 is installed: npm install vitest@\d+\. More in the package: docs\/something-is-wrong\.md$/,
  ],
  'mockmaker/node': [({ setupMockmaker }) => setupMockmaker(), /^mockmaker needs msw .* 0\.1\.0 is installed/],
  mockmaker: [({ createMockmaker }) => createMockmaker(), /^mockmaker needs msw .* 0\.1\.0 is installed/],
  'mockmaker/arbitraries': [() => {}, /^mockmaker\/arbitraries needs fast-check .* 0\.1\.0 is installed/],
  'mockmaker/playwright': [() => {}, /^mockmaker\/playwright needs @playwright\/test .* 0\.1\.0 is installed/],
}
for (const [entry, [use, message]] of Object.entries(uses))
  await assert.rejects(async () => use(await load(entry)), { name: 'UsageError', message })
