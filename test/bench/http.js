// @ts-check
import { join } from 'node:path'
import { atMost, measureInTurn, ratio } from './figures.js'
import { command, serving, withFolder, withServers, yardstick } from './processes.js'
import { crowdOf, find, initOf, list, scenarioOf, validate } from './requests.js'
import { load } from './sockets.js'

/** The list of 20 lobbies by the command with its log and journal, and the same bytes by bare servers. */
export function measureList() {
  return measureLoad('lobbies.list, 20 lobbies', {
    scenario: scenarioOf(20),
    request: list,
    others: (_, answer) => ({
      'bare node:http, JSON.stringify': yardstick('http', answer),
      'bare Express, res.json': yardstick('express', answer),
    }),
    aim: ([ours, http]) => atMost('CPU', { most: 1, value: ratio(ours, http), unit: '× node:http' }),
  })
}

/** A POST whose body is read, checked and answered. */
export function measurePost() {
  return measureLoad('validateGameNamespace, a POST', {
    scenario: scenarioOf(1),
    request: validate,
    others: (_, answer) => ({ 'bare node:http, JSON.parse and JSON.stringify': yardstick('post', answer) }),
    aim: ([ours, http]) => atMost('CPU', { most: 3, value: ratio(ours, http), unit: '× node:http' }),
  })
}

/** A find with a folder, and without one. */
export function measureFindInFolder() {
  return withFolder((_, folder) =>
    measureLoad('find, the second with --data', {
      scenario: crowdOf(100),
      request: find,
      others: scenario => ({
        'the command with a folder': { program: command, args: serving(scenario, '--data', join(folder, 'data')) },
      }),
      aim: ([memory, kept]) =>
        atMost('CPU with a folder', { most: 1.5, value: ratio(kept, memory), unit: '× without' }),
    }),
  )
}

/**
 * @typedef {Pick<import('./processes.js').ServerOptions, 'program' | 'args'>} Program
 *
 * @param {string} title
 * @param {object} options
 * @param {import('../../src/core/scenario/schema.js').ScenarioInput} options.scenario
 * @param {import('./requests.js').Request} options.request
 * @param {(scenario: string, answer: string) => Readonly<Record<string, Program>>} options.others
 * @param {(cpu: readonly (number | undefined)[]) => import('./figures.js').Aim} options.aim Gets the processor times of a request: those of the command, and of the others.
 * @returns {Promise<import('./figures.js').Table>}
 */
function measureLoad(title, { scenario, request, others, aim }) {
  return withFolder(write =>
    withServers(async start => {
      const file = write('scenario.json', scenario)
      const path = list.path
      const ours = await start({ program: command, args: serving(file), path })
      const answer = await (await fetch(ours.url + request.path, initOf(request))).json()
      const servers = [{ name: 'the command', server: ours }]
      for (const [name, program] of Object.entries(others(file, write('answer.json', answer))))
        servers.push({ name, server: await start({ ...program, path }) })
      for (const { server } of servers) await load(server, { request, seconds: 1 })
      const run = (/** @type {(typeof servers)[number]} */ { server }) => load(server, { request, seconds: 2 })
      const figures = await measureInTurn(servers, { rounds: 5, run })
      const cpu = figures.map(each => each['CPU µs a request'])
      return {
        title: `${title}; 50 connections; medians of 5 rounds of 2 s`,
        rows: servers.map(({ name }, i) => ({ server: name, ...figures[i], 'CPU ×': ratio(cpu[0], cpu[i]) })),
        aim: aim(cpu),
      }
    }),
  )
}
