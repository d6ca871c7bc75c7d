// @ts-check
import { execFile } from 'node:child_process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { onServerCore } from './machine.js'

/**
 * Runs a program in a process of its own, on the server's core, and answers the JSON that it prints.
 *
 * @param {URL} program
 * @param {{ readonly args: readonly string[], readonly nodeFlags?: readonly string[] }} options
 * @returns {Promise<any>}
 */
export async function runProgram(program, { args: own, nodeFlags = [] }) {
  const { file, args } = onServerCore([...nodeFlags, fileURLToPath(program), ...own])
  const { stdout } = await promisify(execFile)(file, args)
  return JSON.parse(stdout)
}

const root = new URL('../../', import.meta.url).href
/** @type {string | undefined} */
let otherRoot

/**
 * Measures another commit of the project too, where a bench can: a folder with its sources, built.
 *
 * @param {string} folder
 */
export function compareWith(folder) {
  otherRoot = `${pathToFileURL(folder).href}/`
}

/**
 * A program of this commit and, if there is another one to compare with, its program at the same path.
 *
 * @param {URL} program
 * @returns {readonly { readonly commit: string, readonly program: URL }[]}
 */
export function inEachCommit(program) {
  const own = { commit: 'this commit', program }
  if (otherRoot === undefined) return [own]
  return [own, { commit: 'the other commit', program: new URL(program.href.replace(root, otherRoot)) }]
}
