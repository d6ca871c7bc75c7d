// @ts-check
// Imports a module and prints how long that took: `node import-process.js <URL of the module>`.
import { cpuMs } from '../cpu.js'

const [, , url = ''] = process.argv
const cpuBefore = cpuMs()
const startedAt = performance.now()
await import(url)
const figures = { importMs: performance.now() - startedAt, cpuMs: cpuMs() - cpuBefore }
process.stdout.write(JSON.stringify(figures))
