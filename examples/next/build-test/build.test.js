import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { test } from 'node:test'

test('a build has the real service, and nothing of the mock', async () => {
  const { MOCKMAKER_URL, ...env } = process.env
  const build = spawn('npx', ['next', 'build'], { env: { ...env, NODE_ENV: 'production' }, stdio: 'inherit' })
  const [code] = await once(build, 'close')
  assert.equal(code, 0)

  const files = await readdir('.next/static', { recursive: true, withFileTypes: true })
  const scripts = files.filter(file => file.isFile() && file.name.endsWith('.js'))
  const texts = await Promise.all(scripts.map(file => readFile(`${file.parentPath}/${file.name}`, 'utf8')))
  assert.ok(texts.some(text => text.includes('https://matchmaker.example')))
  assert.ok(!texts.some(text => text.includes('mockmaker') || text.includes(MOCKMAKER_URL)))
})
