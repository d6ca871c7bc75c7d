import { writeFile } from 'node:fs/promises'
import { asUsageError } from '../lib/usage-error.js'
import type { Console } from './output.js'

/** Prints a document, or writes it to a file. */
export type PrintDocument = (text: string) => void | Promise<void>

/** Returns what prints a document: on standard output, or to a file, which it replaces. It rejects with `UsageError`. */
export function documentPrinter(file: string | undefined, console: Console): PrintDocument {
  if (file === undefined) return text => console.printDocument(text)
  return text =>
    writeFile(file, `${text}\n`).catch(error => {
      throw asUsageError(error, `cannot write ${file}`)
    })
}
