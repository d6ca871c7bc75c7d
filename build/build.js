import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { relative } from 'node:path'
import { build } from 'rolldown'
import { loadConfig } from 'rolldown/config'
import { pruneDeclarations } from './declarations.js'

// On standard error, because `npm start -- --json` writes JSON.
process.stderr.write('building dist, which takes some seconds …\n')
// The command `rolldown -c` would also print a table of all files.
rmSync('dist', { recursive: true, force: true })
await build(await loadConfig('build/rolldown.config.ts'))

execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'build/tsconfig.json'], { stdio: 'inherit' })
const { exports } = JSON.parse(readFileSync('package.json', 'utf8'))
const entries = Object.values(exports).flatMap(({ types }) => (types ? [relative('dist', types)] : []))
pruneDeclarations('dist', entries)
