// @ts-check
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
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
