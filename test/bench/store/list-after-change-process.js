// @ts-check
// Changes one lobby and asks for the list, again and again, and prints what that cost:
// `node list-after-change-process.js <subject> <lobbies>`.
import { createMockmaker } from '../../../dist/index.js'
import { cpuMs } from '../cpu.js'
import { median } from '../rounds.js'
import { scenarioOf, tokens } from '../scenario.js'
import { parsedList } from '../yardsticks/parsed-list.js'

/**
 * A list of which one lobby can change.
 *
 * @typedef {object} Subject
 * @property {(players: number) => Promise<void> | void} change
 * @property {() => Uint8Array} list
 *
 * @typedef {object} Figures
 * @property {number} listUs
 * @property {number} changeUs
 * @property {number} bytes
 */

/** In ms of processor time. */
const warmUpMs = 400
const measuredMs = 700
const batches = 5
const exchange = {
  method: 'GET',
  path: '/matchmaker/lobbies/list',
  query: '',
  headers: { authorization: `Bearer ${tokens.public}` },
}

const [, , subject = '', lobbies = ''] = process.argv
const mock = createMockmaker({ scenario: scenarioOf({ lobbies: Number(lobbies) }) })
process.stdout.write(JSON.stringify(await measure(subject === 'mock' ? ofMock() : parsedList(listOfMock()))))

/** @returns {Subject} */
function ofMock() {
  const [{ lobby_id = '' } = {}] = mock.world.lobbies.all()
  return {
    async change(players) {
      await mock.world.lobbies.update(q => q.where({ lobby_id }), {
        data(lobby) {
          lobby.total_player_count = players
        },
      })
    },
    list: listOfMock,
  }
}

function listOfMock() {
  const answer = mock.answer(exchange)
  if (answer instanceof Promise || answer.status !== 200) throw new Error('the list was not answered at once')
  return answer.body
}

/**
 * @param {Subject} subject
 * @returns {Promise<Figures>}
 */
async function measure(subject) {
  const { list, change } = subject
  await check(subject)
  await runFor(subject, warmUpMs)
  const runs = []
  for (let batch = 0; batch < batches; batch++) runs.push(await runFor(subject, measuredMs / batches))
  await change(0)
  return {
    listUs: median(runs.map(run => run.listUs)),
    changeUs: median(runs.map(run => run.changeUs)),
    bytes: list().length,
  }
}

/** @param {Subject} subject */
async function check({ change, list }) {
  await change(0)
  const before = new TextDecoder().decode(list())
  await change(1)
  if (new TextDecoder().decode(list()) === before) throw new Error('a change does not show in the list')
}

/**
 * Means of as many runs as there is time for.
 *
 * @param {Subject} subject
 * @param {number} ms
 */
async function runFor({ change, list }, ms) {
  const startedAt = cpuMs()
  let listMs = 0
  let changeMs = 0
  let count = 0
  for (let now = startedAt; now - startedAt < ms; count++) {
    await change(count % 2)
    const changedAt = cpuMs()
    list()
    const listedAt = cpuMs()
    changeMs += changedAt - now
    listMs += listedAt - changedAt
    now = listedAt
  }
  return { listUs: (listMs * 1000) / count, changeUs: (changeMs * 1000) / count }
}
