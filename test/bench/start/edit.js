// @ts-check
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parse, stringify } from 'yaml'
import { ratio } from '../aim.js'
import { cpuMs } from '../cpu.js'
import { inEachCommit, toOtherCommit } from '../program.js'
import { alternate, medians } from '../rounds.js'
import { scenarioOf } from '../scenario.js'
import { command, serving, withServers } from '../servers.js'

const lobbies = 10_000
const rounds = 5
/** The time for the work after an answer: the garbage collector's, and that of a file watch, in ms. */
const settleMs = 300

/** @typedef {(title: string) => string} Text The file after an edit, by its title. */

const listed = {
  regions: ['lnd-fra', 'lnd-lon', 'lnd-ewr'],
  game_modes: [{ game_mode_id: 'duel', max_players: 40 }],
  lobbies: Array.from({ length: lobbies }, (_, i) => ({
    region_id: ['lnd-fra', 'lnd-lon', 'lnd-ewr'][i % 3],
    total_player_count: i % 40,
    state: { map: 'Dust Bowl', host: `Ada${i}`, round: i % 12 },
  })),
}

/** @type {Readonly<Record<string, Text>>} */
const formats = {
  YAML: textsOf(listed, stringify),
  JSON: textsOf(listed, JSON.stringify),
  generated: textsOf(scenarioOf({ lobbies }), stringify),
}

/**
 * From a save of a scenario with 10,000 lobbies to the first answer of the command with the edit; and a plain parse of the
 * same text with the YAML library.
 *
 * @returns {Promise<import('../table.js').Table>}
 */
export function measureEdit() {
  const folder = mkdtempSync(join(tmpdir(), 'mockmaker-bench-'))
  return withServers(async start => {
    /** @type {{ name: string, edit(title: string): Promise<number | undefined> }[]} */
    const subjects = []
    for (const [format, textOf] of Object.entries(formats)) {
      subjects.push({ name: `a plain parse, ${format}`, edit: async title => parseMs(textOf(title)) })
      for (const { commit, program } of inEachCommit(command)) {
        const file = join(folder, `${subjects.length}.yaml`)
        writeFileSync(file, textOf('Edit 0'))
        const server = await start({ name: commit, program, args: serving(file), path: '/' })
        subjects.push({
          name: `${commit}, ${format}`,
          edit: title => edit(server, { file, text: textOf(title), title }),
        })
      }
    }
    let edits = 0
    const run = async (/** @type {typeof subjects[number]} */ subject) => {
      edits += 1
      return { cpu: await subject.edit(`Edit ${edits}`) }
    }
    await alternate(subjects, { rounds: 1, run })
    const runs = await alternate(subjects, { rounds, run })
    const results = new Map([...runs].map(([{ name }, figures]) => [name, medians(figures).cpu]))
    return {
      title: `an edit of a scenario with ${lobbies} lobbies, to its first answer; medians of ${rounds} rounds`,
      rows: [...results].map(([name, cpu]) => ({
        what: name,
        'CPU ms': cpu,
        '× plain parse': ratio(cpu, results.get(`a plain parse, ${name.split(', ').at(-1)}`)),
      })),
      aims: Object.keys(formats).flatMap(format =>
        toOtherCommit(`an edit in ${format}`, {
          ours: results.get(`this commit, ${format}`),
          other: results.get(`the other commit, ${format}`),
        }),
      ),
    }
  }).finally(() => rmSync(folder, { recursive: true }))
}

/**
 * @param {object} scenario
 * @param {(scenario: object) => string} write
 * @returns {Text}
 */
function textsOf(scenario, write) {
  const text = write({ ...scenario, title: 'Edit 0' })
  return title => text.replace('Edit 0', title)
}

/** @param {string} text */
function parseMs(text) {
  const before = cpuMs()
  parse(text)
  return cpuMs() - before
}

/**
 * Saves a file, and returns the processor time of the server until it answers with it.
 *
 * @param {import('../server-process.js').ServerProcess} server
 * @param {{ readonly file: string, readonly text: string, readonly title: string }} saved
 */
async function edit(server, { file, text, title }) {
  await sleep(settleMs)
  const before = server.cpuMs()
  writeFileSync(`${file}.new`, text)
  renameSync(`${file}.new`, file)
  for (;;) {
    const response = await fetch(server.url, { headers: { accept: 'application/json' } })
    const { scenario } = await response.json()
    if (scenario === title) break
    await sleep(20)
  }
  const after = server.cpuMs()
  return before === undefined || after === undefined ? undefined : after - before
}
