// @ts-check
import { atMost, measureInTurn, ratio } from './figures.js'
import { command, runProgram, serving, startServer, withFolder, yardstick } from './processes.js'
import { list, scenarioOf } from './requests.js'

/** A find in-process, among few lobbies and among many. @returns {Promise<import('./figures.js').Table>} */
export async function measureFind() {
  const sizes = ['100', '10000']
  const figures = await measureInTurn(sizes, {
    rounds: 5,
    run: size => runProgram(new URL('find-process.js', import.meta.url), { args: [size] }),
  })
  const [few, many] = figures
  return {
    title: 'find in-process; medians of 5 processes',
    rows: sizes.map((lobbies, i) => ({ lobbies, ...figures[i] })),
    aim: atMost('among 10,000 lobbies', {
      most: 1.3,
      value: ratio(many?.['CPU µs'], few?.['CPU µs']),
      unit: '× among 100',
    }),
  }
}

/** `fetch` of the list under MSW, beside one static handler. @returns {Promise<import('./figures.js').Table>} */
export function measureMsw() {
  return withFolder(async write => {
    const scenario = write('scenario.json', scenarioOf(20))
    const subjects = ['mockmaker', 'static']
    const run = (/** @type {string} */ subject) =>
      runProgram(new URL('msw-process.js', import.meta.url), { args: [subject, scenario] })
    const figures = await measureInTurn(subjects, { rounds: 5, run })
    const [ours, other] = figures
    return {
      title: 'fetch of the list under MSW in one process; 20 lobbies; medians of 5 processes',
      rows: subjects.map((handlers, i) => ({ handlers, ...figures[i] })),
      aim: atMost('CPU', { most: 1.3, value: ratio(ours?.['CPU µs'], other?.['CPU µs']), unit: '× one http.get' }),
    }
  })
}

/** The import of `mockmaker/node` in a fresh process. @returns {Promise<import('./figures.js').Table>} */
export async function measureImport() {
  const modules = ['mockmaker/node', 'msw/node']
  const run = (/** @type {string} */ module) =>
    runProgram(new URL('import-process.js', import.meta.url), { args: [module] })
  const figures = await measureInTurn(modules, { rounds: 11, run })
  const [ours, msw] = figures
  return {
    title: 'an import in a fresh process; medians of 11 processes',
    rows: modules.map((module, i) => ({ module, ...figures[i] })),
    aim: atMost('CPU', { most: 2, value: ratio(ours?.['CPU ms'], msw?.['CPU ms']), unit: '× msw/node' }),
  }
}

/** From the spawn of the command to its first 200. @returns {Promise<import('./figures.js').Table>} */
export async function measureStart() {
  const servers = [{ program: command, args: serving() }, yardstick('express')]
  const figures = await measureInTurn(servers, {
    rounds: 11,
    async run(program) {
      const server = await startServer({ ...program, path: list.path })
      const cpuMs = server.cpuMs()
      await server.end()
      return { 'ms to the first 200': server.readyMs, 'CPU ms': cpuMs }
    },
  })
  const [ours, express] = figures
  return {
    title: 'from the spawn to the first 200; medians of 11 processes',
    rows: ['the command', 'bare Express'].map((server, i) => ({ server, ...figures[i] })),
    aim: atMost('CPU', { most: 1.3, value: ratio(ours?.['CPU ms'], express?.['CPU ms']), unit: '× bare Express' }),
  }
}

const runWorlds = () =>
  withFolder(async write => {
    const scenario = write('scenario.json', scenarioOf(10_000))
    const run = () => runProgram(new URL('worlds-process.js', import.meta.url), { args: [scenario] })
    const [figures = {}] = await measureInTurn(['worlds'], { rounds: 5, run })
    return figures
  })

/** A fork of a world. @returns {Promise<import('./figures.js').Table>} */
export async function measureFork() {
  const { forkMs, copyMs } = await runWorlds()
  return {
    title: 'a fork of 10,000 lobbies; medians of 5 processes',
    rows: [{ 'fork ms': forkMs, 'structuredClone ms': copyMs }],
    aim: atMost('a fork', { most: 1, value: forkMs, unit: 'ms' }),
  }
}

/** A reset of a world. @returns {Promise<import('./figures.js').Table>} */
export async function measureReset() {
  const { resetMs } = await runWorlds()
  return {
    title: 'a reset of 10,000 lobbies after a change; medians of 5 processes',
    rows: [{ 'reset ms': resetMs }],
    aim: atMost('a reset', { most: 0.2, value: resetMs, unit: 'ms' }),
  }
}
