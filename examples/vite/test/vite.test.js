import assert from 'node:assert/strict'
import { copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { build, createLogger, createServer } from 'vite'

/** Starts the development server on a free port, and collects what it prints. */
async function startVite() {
  const lines = []
  const print = line => void lines.push(line)
  const customLogger = { ...createLogger('info'), info: print, warn: print, error: print }
  const server = await createServer({ customLogger, server: { port: 0 } })
  await server.listen()
  const url = server.resolvedUrls.local[0].replace(/\/$/, '')
  return { server, url, lines }
}

async function lobbiesAt(url) {
  const response = await fetch(`${url}/matchmaker/lobbies/list`)
  const { lobbies } = await response.json()
  return lobbies.map(({ lobby_id }) => lobby_id)
}

/** Repeats a check until it passes. Fails with its last error after 20 seconds. */
async function eventually(check) {
  const end = Date.now() + 20_000
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (Date.now() > end) throw error
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  }
}

test('the mock is beside the app', async () => {
  const { server, url, lines } = await startVite()
  server.printUrls()

  const main = await (await fetch(`${url}/src/lobbies.ts`)).text()

  assert.match(main, /MOCKMAKER_URL.*"\/mm"/)
  assert.deepEqual(await lobbiesAt(`${url}/mm`), ['harbour'])
  const { warnings } = await (await fetch(`${url}/mm/__mock/warnings`)).json()
  assert.deepEqual(warnings, [])
  assert.match(lines.at(-1), /Mock:.*\/mm/)
  await server.close()
})

test('a saved scenario is applied', async () => {
  const { server, url } = await startVite()
  await copyFile('scenario.mockmaker.yaml', 'before.mockmaker.yaml')
  const scenario = await readFile('scenario.mockmaker.yaml', 'utf8')

  await writeFile(
    'scenario.mockmaker.yaml',
    `${scenario}  - { lobby_id: island, game_mode_id: duel, region_id: lnd-fra }\n`,
  )

  await eventually(async () => assert.deepEqual(await lobbiesAt(`${url}/mm`), ['harbour', 'island']))
  await server.close()
  await copyFile('before.mockmaker.yaml', 'scenario.mockmaker.yaml')
  await rm('before.mockmaker.yaml')
})

test('a restart ends the requests that wait in the old mock', async () => {
  const { server, url } = await startVite()
  const headers = { 'content-type': 'application/json' }
  const hold = JSON.stringify({ operation: 'lobbies.list', effect: { hold: true } })
  await fetch(`${url}/mm/__mock/faults`, { method: 'POST', headers, body: hold })
  const held = fetch(`${url}/mm/matchmaker/lobbies/list`).catch(() => 'closed')
  await eventually(async () => {
    const { pending } = await (await fetch(`${url}/mm/__mock/journal`)).json()
    assert.equal(pending.length, 1)
  })

  await server.restart()

  await held
  const now = server.resolvedUrls.local[0]
  assert.deepEqual(await lobbiesAt(`${now}mm`), ['harbour'])
  await server.close()
})

test('a build has the real service, and nothing of the mock', async () => {
  await build({ logLevel: 'warn' })

  const files = await readdir('dist', { recursive: true, withFileTypes: true })
  const texts = files.filter(file => file.isFile()).map(file => readFile(`${file.parentPath}/${file.name}`, 'utf8'))
  const text = (await Promise.all(texts)).join('\n')
  assert.match(text, /https:\/\/matchmaker\.example/)
  assert.doesNotMatch(text, /mockmaker|MOCKMAKER|\/mm\b/)
})
