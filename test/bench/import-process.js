// @ts-check
// Imports a module, and prints how long that took: `node import-process.js <module>`.
import { cpuMs } from './figures.js'

const before = cpuMs()
const startedAt = performance.now()
await import(process.argv[2] ?? '')
process.stdout.write(JSON.stringify({ ms: performance.now() - startedAt, 'CPU ms': cpuMs() - before }))
