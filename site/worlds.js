// Writes the world of each demo to dist/worlds, as a capsule: a page with the mock inside.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { scenarios } from '../dist/core/scenario/index.js'
import { createMockmaker } from '../dist/index.js'
import { listen } from '../dist/server/http/index.js'
import { demos } from './demos.js'

const mock = createMockmaker()
const server = await listen(mock, { port: 0 })
mkdirSync('dist/worlds', { recursive: true })
for (const [name, { play }] of Object.entries(demos)) {
  const world = await mock.worlds.put(name, {
    scenario: { ...scenarios.default, now: '2026-11-20T20:00:00Z', clock: 'frozen' },
  })
  const url = `${server.url}/w/${name}`
  await play({ mock: world, call: callerOf(url), run: runnerOf(url) })
  writeFileSync(`dist/worlds/${name}.html`, await world.capsule())
}
await server.close()

/**
 * @param {string} url
 * @returns {import('./demos.js').Stage['call']}
 */
function callerOf(url) {
  return async (method, path, body) => {
    const response = await fetch(url + path, { method, ...(body && { body: JSON.stringify(body) }) })
    return response.json()
  }
}

/**
 * @param {string} url
 * @returns {import('./demos.js').Stage['run']}
 */
function runnerOf(url) {
  return async (page, file) => {
    const block = readFileSync(`../${page}`, 'utf8')
      .split('```')
      .find(text => text.startsWith(`js\n// ${file}\n`))
    if (!block) throw new Error(`${page} has no program ${file}`)
    writeFileSync(`dist/${file}`, block.slice('js'.length).replaceAll('http://127.0.0.1:4100', url))
    await import(pathToFileURL(`dist/${file}`).href)
    rmSync(`dist/${file}`)
  }
}
