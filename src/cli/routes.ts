import { operationIds, operations } from '../contract/operations.js'
import type { Console } from './console.js'

/** Prints the table of operations: method, path, whom it answers, and its name. */
export function printRoutes({ print, style }: Console): void {
  const width = Math.max(...operationIds.map(id => operations[id].path.length))
  for (const id of operationIds) {
    const { method, path, auth } = operations[id]
    print([style('bold', method.padEnd(6)), path.padEnd(width), auth.padEnd(9), id].join('  '))
  }
}
