// @ts-check
// Loads worlds in turn: `node worlds-load.js <url> <first world> <worlds> <seconds> <list or find>`. Prints the number of requests.
import autocannon from 'autocannon'
import { seatBody, seatPath } from '../life/crowd.js'
import { tokens } from '../scenario.js'

const connections = 50

const [, , url = '', first = '', worlds = '', seconds = '', kind] = process.argv
const calls = {
  list: { method: 'GET', path: '/matchmaker/lobbies/list' },
  find: { method: 'POST', path: seatPath, body: JSON.stringify(seatBody) },
}
const call = kind === 'find' ? calls.find : calls.list
const headers = { authorization: `Bearer ${tokens.public}`, 'content-type': 'application/json' }
const requests = Array.from({ length: Number(worlds) }, (_, i) => ({
  ...call,
  headers,
  path: `/w/world-${Number(first) + i}${call.path}`,
}))
const { requests: sent, non2xx, errors } = await autocannon({ url, connections, duration: Number(seconds), requests })
if (non2xx + errors > 0) throw new Error(`${url}: ${non2xx} answers are no 2xx, ${errors} errors`)
process.stdout.write(JSON.stringify(sent.total))
