import { rmSync } from 'node:fs'
import { build } from 'rolldown'
import { loadConfig } from 'rolldown/config'

// The command `rolldown -c` would also print a table of all files.
rmSync('dist', { recursive: true, force: true })
await build(await loadConfig('rolldown.config.ts'))
