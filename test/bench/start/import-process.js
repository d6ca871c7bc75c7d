// @ts-check
// Imports modules and prints how long that took: `node import-process.js <module>... [--after <module>...]`. It imports
// those behind `--after` before, and does not count them.
import { cpuMs } from '../cpu.js'

const [counted = [], earlier = []] = process.argv
  .slice(2)
  .join(' ')
  .split(' --after ')
  .map(names => names.split(' '))
for (const module of earlier) await import(module)

const cpuBefore = cpuMs()
const startedAt = performance.now()
for (const module of counted) await import(module)
const figures = { importMs: performance.now() - startedAt, cpuMs: cpuMs() - cpuBefore }
process.stdout.write(JSON.stringify(figures))
