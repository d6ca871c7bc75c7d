#!/usr/bin/env node
import { runProgram } from './cli/program.js'

await runProgram(process, new URL('..', import.meta.url))
