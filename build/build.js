import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { build } from 'rolldown'
import { loadConfig } from 'rolldown/config'
import { pruneDeclarations } from './declarations.js'

// On standard error, because `npm start -- --json` writes JSON.
process.stderr.write('building dist, which takes some seconds …\n')
rmSync('dist', { recursive: true, force: true })
// More checkers would resolve the same types again.
const command = ['node_modules/typescript/bin/tsc', '-p', 'build/tsconfig.json', '--checkers', '1']
const tsc = spawn(process.execPath, command, { stdio: 'inherit' })
// The command `rolldown -c` would also print a table of all files.
const [[code]] = await Promise.all([once(tsc, 'exit'), build(await loadConfig('build/rolldown.config.ts'))])
if (code !== 0) process.exit(1)
cpSync('src/server/files/lazy.cjs', 'dist/lazy.cjs')
const readJson = file => JSON.parse(readFileSync(file, 'utf8'))
writeFileSync(
  'dist/control-openapi.cjs',
  `module.exports = ${JSON.stringify(readJson('fixtures/control-openapi.json'))}\n`,
)
const { exports } = readJson('package.json')
const entries = Object.values(exports).flatMap(({ types }) => (types ? [relative('dist', types)] : []))
pruneDeclarations('dist', entries)
