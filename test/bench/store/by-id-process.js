// @ts-check
// Measures one subject of one size in a process of its own: `node --expose-gc by-id-process.js <subject> <lobbies>`.
import { createMockmaker } from '../../../dist/index.js'
import { cpuMs } from '../cpu.js'
import { median } from '../rounds.js'
import { scenarioOf } from '../scenario.js'
import { inCollection } from '../yardsticks/collection.js'
import { inPlainMap } from '../yardsticks/plain-map.js'
import { inWorld } from './subject.js'

/**
 * Processor time, which a busy machine distorts less than real time; nothing here waits for anything.
 *
 * @typedef {object} Figures Absent where the subject has no such function.
 * @property {number} seedMs To make it and, of a world, to read its scenario and to generate its lobbies too.
 * @property {number} heapBytes For each lobby.
 * @property {number} [getUs]
 * @property {number} [findUs]
 * @property {number} firstUpdateMs
 * @property {number} updateUs
 */

/** A batch that lasts this long ends the warm-up; those that count are a part of it. The figure is their median. */
const warmUpMs = 100
const batches = 5
const part = 3
const warmUpLobbies = 100

/** @type {Record<string, (lobbies: number) => () => Promise<import('./subject.js').Subject>>} */
const makers = {
  world: lobbies => () => inWorld(lobbies),
  map(lobbies) {
    const rows = rowsOf(lobbies)
    return () => inPlainMap(rows)
  },
  collection(lobbies) {
    const rows = rowsOf(lobbies)
    return () => inCollection(rows)
  },
}

const [, , name = '', lobbies = ''] = process.argv
process.stdout.write(JSON.stringify(await measure(makers[name] ?? inUnknown, Number(lobbies))))

/**
 * @param {(lobbies: number) => () => Promise<import('./subject.js').Subject>} maker
 * @param {number} lobbies
 * @returns {Promise<Figures>}
 */
async function measure(maker, lobbies) {
  await maker(warmUpLobbies)()
  const make = maker(lobbies)
  const heapBefore = heap()
  const startedAt = cpuMs()
  const { ids, get, find, update } = await make()
  const seedMs = cpuMs() - startedAt
  const heapBytes = (heap() - heapBefore) / lobbies
  const order = shuffled(ids)
  const updatedAt = cpuMs()
  await update(order[0] ?? '')
  const firstUpdateMs = cpuMs() - updatedAt
  const each = (/** @type {(id: string) => void | Promise<void>} */ call) => microseconds(call, order)
  return {
    seedMs,
    heapBytes,
    firstUpdateMs,
    ...(get && { getUs: await each(id => found(get(id))) }),
    ...(find && { findUs: await each(id => found(find(id))) }),
    updateUs: await each(update),
  }
}

/** @returns {never} */
function inUnknown() {
  throw new Error(`no subject is called ${name}: there are ${Object.keys(makers).join(', ')}`)
}

/** @param {number} lobbies */
function rowsOf(lobbies) {
  return createMockmaker({ scenario: scenarioOf({ lobbies }) }).world.lobbies.all()
}

/** @param {object | undefined} lobby */
function found(lobby) {
  if (!lobby) throw new Error('a lobby that is there was not found')
}

/**
 * The time that one call takes, in µs.
 *
 * @param {(id: string) => void | Promise<void>} call
 * @param {readonly string[]} ids
 */
async function microseconds(call, ids) {
  let warmUp = 1
  while ((await timed(call, { ids, calls: warmUp })) < warmUpMs) warmUp *= 2
  const calls = Math.ceil(warmUp / part)
  const times = []
  for (let batch = 0; batch < batches; batch++) times.push((await timed(call, { ids, calls })) / calls)
  return median(times) * 1000
}

/**
 * How long a batch of calls takes, in ms.
 *
 * @param {(id: string) => void | Promise<void>} call
 * @param {{ readonly ids: readonly string[], readonly calls: number }} batch
 */
async function timed(call, { ids, calls }) {
  const startedAt = cpuMs()
  for (let i = 0; i < calls; i++) {
    const result = call(ids[i % ids.length] ?? '')
    if (result) await result
  }
  return cpuMs() - startedAt
}

function heap() {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

/**
 * In an order of chance, so that neighbours in memory are not neighbours in time.
 *
 * @param {readonly string[]} values
 */
function shuffled(values) {
  return values
    .map(value => ({ value, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ value }) => value)
}
