// @ts-check
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'rolldown'
import { atMost, ratio } from './aim.js'
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

/**
 * Bundles a program that uses modules of `src`, as the build does, and removes it when the function is over.
 *
 * @template T
 * @param {URL} program
 * @param {(bundle: URL) => Promise<T>} use
 */
export async function bundled(program, use) {
  // Inside the project, so that it finds the packages that are not bundled.
  const folders = fileURLToPath(new URL('node_modules/.cache/', root))
  mkdirSync(folders, { recursive: true })
  const folder = mkdtempSync(join(folders, 'mockmaker-bench-'))
  try {
    await build({
      input: { program: fileURLToPath(program) },
      platform: 'node',
      external: /^(node:|@redis\/client$)/,
      moduleTypes: { '.lua': 'text' },
      checks: { bundlerTimings: false },
      output: { dir: folder },
    })
    return await use(pathToFileURL(join(folder, 'program.js')))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

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

/** A figure may get worse by so much from one commit to the next. */
const tolerated = 1.1

/**
 * The aim that a figure is not much worse than that of the other commit: none where there is no other one.
 *
 * @param {string} what
 * @param {{ readonly ours: number | undefined, readonly other: number | undefined, readonly most?: number }} figures Less is better.
 */
export function toOtherCommit(what, { ours, other, most = tolerated }) {
  if (otherRoot === undefined) return []
  return [atMost(`${what}, to the other commit`, { most, value: ratio(ours, other) })]
}

/** @typedef {{ readonly commit: string, readonly program: URL }} ProgramOfCommit */

/**
 * A program of this commit and, if there is another one to compare with, its program at the same path.
 *
 * @param {URL} program
 * @returns {readonly [ProgramOfCommit, ...ProgramOfCommit[]]}
 */
export function inEachCommit(program) {
  const own = { commit: 'this commit', program }
  if (otherRoot === undefined) return [own]
  return [own, { commit: 'the other commit', program: new URL(program.href.replace(root, otherRoot)) }]
}
