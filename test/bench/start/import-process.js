// @ts-check
// Imports modules and prints how long that took: `node import-process.js <URL>...`.
import { cpuMs } from '../cpu.js'

const cpuBefore = cpuMs()
const startedAt = performance.now()
for (const url of process.argv.slice(2)) await import(url)
const figures = { importMs: performance.now() - startedAt, cpuMs: cpuMs() - cpuBefore }
process.stdout.write(JSON.stringify(figures))
